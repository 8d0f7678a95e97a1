import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareWords } from './share-words.ts';

const at = '2030-01-01T00:00:00Z';
const objects: Record<string, object> = {
  'one that says the same in several conditions': {
    status: {
      message: 'all is well',
      conditions: [
        { type: 'Ready', message: 'all is well', lastTransitionTime: at },
        { type: 'Synced', message: 'all is well', lastTransitionTime: at },
        { type: 'Stalled', message: 'no', lastTransitionTime: '2030-01-02T00:00:00Z' },
        { type: 'Odd' },
        { type: 'Last', message: 'no', lastTransitionTime: at },
      ],
    },
  },
  'one without a status': { spec: {} },
  'one with a status of its own kind': { status: 'fine' },
  'one with odd conditions': { status: { message: 7, conditions: [null, 'x', { message: null, lastTransitionTime: 3 }] } },
  'one with none': { status: null },
};
for (const [name, object] of Object.entries(objects))
  test(`${name} says afterwards what it said`, () => {
    assert.deepEqual(shareWords(structuredClone(object)), object);
  });
