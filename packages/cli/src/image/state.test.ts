import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, type VMDiskImage, type VMDiskImageStatus } from '@terrain/api';
import { anImage, hash, readyStatus } from '../testing/image.ts';
import { judge } from './state.ts';

const gaveUp: VMDiskImageStatus = {
  observedGeneration: 1,
  phase: 'Failed',
  message: 'given up: nothing is there',
  retry: { sourceHash: hash, gaveUp: { at: '2026-01-01T00:00:00Z', reason: 'SourceNotFound' } },
};
const unseen = { kind: 'waiting', message: 'the operator has not seen its latest change yet' };

const cases: Record<string, { image: VMDiskImage; wanted: object }> = {
  'an image nobody has looked at': {
    image: anImage('a'),
    wanted: { kind: 'waiting', message: 'the operator has not seen it yet' },
  },
  'a snapshot of the source': { image: anImage('a', { status: readyStatus }), wanted: { kind: 'ready' } },
  'a snapshot of the source, and a change the operator has not seen': {
    image: anImage('a', { metadata: { generation: 2 }, status: readyStatus }),
    wanted: unseen,
  },
  'a snapshot of another source, said to be ready': {
    image: anImage('a', { spec: { url: 'https://images.example.com/newer.qcow2' }, status: readyStatus }),
    wanted: {
      kind: 'waiting',
      message: 'its snapshot is of a former source; waits for the operator to begin with the new one',
    },
  },
  'a snapshot of another source, and a download of the new one under way': {
    image: anImage('a', {
      spec: { url: 'https://images.example.com/newer.qcow2' },
      status: { ...readyStatus, conditions: [], phase: 'Syncing', message: 'downloads', progress: '42%' },
    }),
    wanted: { kind: 'waiting', message: 'its snapshot is of a former source; downloads, 42%' },
  },
  'a snapshot of the source that is not ready': {
    image: anImage('a', { status: { ...readyStatus, conditions: [], message: 'cuts it again' } }),
    wanted: { kind: 'waiting', message: 'cuts it again' },
  },
  'a download under way': {
    image: anImage('a', { status: { observedGeneration: 1, phase: 'Syncing', message: 'downloads', progress: '42%' } }),
    wanted: { kind: 'waiting', message: 'downloads, 42%' },
  },
  'given up': { image: anImage('a', { status: gaveUp }), wanted: { kind: 'gaveUp', message: 'given up: nothing is there' } },
  'given up, but the source has changed': {
    image: anImage('a', { spec: { diskSize: '11Gi' }, status: gaveUp }),
    wanted: unseen,
  },
  'given up, but another try was asked for': {
    image: anImage('a', { metadata: { annotations: { [annotations.retry]: 'again' } }, status: gaveUp }),
    wanted: unseen,
  },
  'given up after the other try': {
    image: anImage('a', {
      metadata: { annotations: { [annotations.retry]: 'again' } },
      status: { ...gaveUp, retry: { ...gaveUp.retry, token: 'again' } },
    }),
    wanted: { kind: 'gaveUp', message: 'given up: nothing is there' },
  },
  'an image that is being deleted': {
    image: anImage('a', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: readyStatus }),
    wanted: { kind: 'gaveUp', message: 'it is being deleted' },
  },
};

for (const [name, { image, wanted }] of Object.entries(cases)) {
  test(`${name} is judged by the spec it has now`, () => assert.deepEqual(judge(image), wanted));
}
