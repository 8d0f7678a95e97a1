import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, type DataSync, type DataSyncStatus, type VMDiskImage } from '@terrain/api';
import { aDataSync, type Override } from '@terrain/api/testing';
import { anImage, hash, readyStatus, waitingStatus } from '../testing/image.ts';
import { judgeSet, outlivedFailures } from './set-state.ts';

const condition = (type: string, reason = 'X') => ({
  type,
  status: 'True' as const,
  reason,
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

const lost = {
  observedGeneration: 1,
  retry: { sourceHash: hash, gaveUp: { at: '2026-01-01T00:00:00Z', reason: 'SourceNotFound' } },
};
const asked = { annotations: { [annotations.retry]: 'again' } };
const failures: Record<string, { image: VMDiskImage | undefined; isOver: boolean }> = {
  'that was given up': { image: anImage('a', { status: lost }), isOver: false },
  'of which another try was asked for': { image: anImage('a', { metadata: asked, status: lost }), isOver: true },
  'whose other try failed too': {
    image: anImage('a', { metadata: asked, status: { ...lost, retry: { ...lost.retry, token: 'again' } } }),
    isOver: false,
  },
  'that waits again': { image: anImage('a', { status: waitingStatus('2026-01-01T00:00:00Z', '1') }), isOver: true },
  'that is there by now': { image: anImage('a', { status: readyStatus }), isOver: true },
  'that is being deleted': {
    image: anImage('a', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: lost }),
    isOver: true,
  },
  'that is gone': { image: undefined, isOver: true },
};

for (const [name, { image, isOver }] of Object.entries(failures)) {
  test(`an image ${name} ${isOver ? 'is tried again' : 'failed'}, whatever its set says yet; a set that is wrong itself, or goes, stays so`, () => {
    const setWith = (reason: string, metadata: Partial<DataSync['metadata']> = {}) =>
      aDataSync({
        metadata,
        status: {
          conditions: [condition('Stalled', reason)],
          images: [
            { name: 'a', vmDiskImage: 'a', phase: 'Failed' },
            { name: 'b', vmDiskImage: 'b', phase: 'Succeeded' },
          ],
        },
      });
    const images = image === undefined ? [] : [image];
    assert.deepEqual(outlivedFailures(setWith('ImagesFailed'), images), isOver ? ['a'] : []);
    assert.deepEqual(outlivedFailures(setWith('NameTaken'), images), []);
    const goes = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    assert.deepEqual(outlivedFailures(setWith('ImagesFailed', goes), images), []);
  });
}
