import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedStrings } from './shared-strings.ts';

const message = 'machines can clone VolumeSnapshot a-1-s1';
const given = (): object => ({
  metadata: { name: 'a', namespace: 'a-namespace-of-some-length', labels: { 'a/b': 'a-namespace-of-some-length' } },
  status: {
    message,
    conditions: [
      { type: 'Ready', message },
      { type: 'Stalled', message, count: 3, isOld: false, gone: null },
    ],
  },
  list: [message, 'short', [message]],
});

test('an object says what it said', () => {
  const strings = new SharedStrings();
  assert.deepEqual(strings.share(given()), given());
  assert.deepEqual(strings.share(given()), given());
});

test('a value that is no object is returned as it is', () => {
  const strings = new SharedStrings();
  for (const value of [null, undefined, 7, message]) assert.equal(strings.share(value), value);
});

test('what is remembered is bounded, and forgetting it changes nothing', () => {
  const strings = new SharedStrings();
  for (let n = 0; n < 5000; n++) {
    const object = { name: `an object of number ${n}`, message };
    assert.deepEqual(strings.share({ ...object }), object);
  }
});
