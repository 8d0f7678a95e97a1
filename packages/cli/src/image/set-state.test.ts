import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataSync, DataSyncStatus } from '@terrain/api';
import { aDataSync, type Override } from '@terrain/api/testing';
import { judgeSet } from './set-state.ts';

const condition = (type: string) => ({
  type,
  status: 'True' as const,
  reason: 'X',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const counts = { total: 3, queued: 1, syncing: 0, succeeded: 1, failed: 1 };
const stalled: DataSyncStatus = { observedGeneration: 1, message: 'a failed: 404', conditions: [condition('Stalled')], counts };

const cases: Record<string, { change: Override<DataSync>; wanted: object }> = {
  'a set nobody has looked at': { change: {}, wanted: { kind: 'waiting', message: 'the operator has not seen it yet' } },
  'a set whose images are all there': {
    change: { status: { observedGeneration: 1, conditions: [condition('Ready')] } },
    wanted: { kind: 'ready' },
  },
  'a set that was ready before its last change': {
    change: { metadata: { generation: 2 }, status: { observedGeneration: 1, conditions: [condition('Ready')] } },
    wanted: { kind: 'waiting', message: 'the operator has not seen its latest change yet' },
  },
  'one image failed, another still waits': {
    change: { status: stalled },
    wanted: { kind: 'waiting', message: '1 of 3 ready, 0 downloading, 1 waiting' },
  },
  'one image failed, the others are there': {
    change: { status: { ...stalled, counts: { ...counts, queued: 0, succeeded: 2 } } },
    wanted: { kind: 'gaveUp', message: 'a failed: 404' },
  },
  'a set that is being deleted': {
    change: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    wanted: { kind: 'gaveUp', message: 'it is being deleted' },
  },
};

for (const [name, { change, wanted }] of Object.entries(cases)) {
  test(`${name} is judged by the spec it has now`, () => {
    const { metadata = {}, ...rest } = change;
    assert.deepEqual(judgeSet(aDataSync({ ...rest, metadata: { generation: 1, ...metadata } })), wanted);
  });
}
