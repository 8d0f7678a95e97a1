import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { object, time } from '../testing/workspace.ts';
import { stateOf } from './object-state.ts';

const states: Record<string, { given: KubeObject; want: { state: string; reason: string } }> = {
  'a Job that failed': {
    given: object('Job', 'j', { status: { conditions: [{ type: 'Failed', status: 'True', message: 'too often' }] } }),
    want: { state: 'Failed', reason: 'too often' },
  },
  'a Job that runs': { given: object('Job', 'j'), want: { state: 'Running', reason: '' } },
  'a pod without a node': {
    given: object('Pod', 'p', {
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: 'no room' }] },
    }),
    want: { state: 'Pending', reason: 'no room' },
  },
  'an object that is held': {
    given: object('Secret', 's', { metadata: { name: 's', deletionTimestamp: time, finalizers: ['example.com/hold'] } }),
    want: { state: 'Deleting', reason: 'held by example.com/hold' },
  },
  'words that would steer the terminal': {
    given: object('DataVolume', 'd', { status: { phase: 'Failed', message: 'a\u001b[2Jb' } }),
    want: { state: 'Failed', reason: 'a [2Jb' },
  },
};
for (const [name, { given, want }] of Object.entries(states))
  test(`the state of ${name}`, () => assert.deepEqual(stateOf(given), want));
