import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataSync, DataSyncStatus, VMDiskImageStatus } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { aSnapshot, imageOf, item, nowMs, syncedImage } from '#testing/datasync-world.ts';
import type { StoredImage } from './observe.ts';
import { type Refused, statusOf } from './status.ts';

const withStatus = (name: string, status: VMDiskImageStatus): StoredImage => ({
  ...imageOf(name),
  status: { observedGeneration: 1, ...status },
});
const syncing = (name: string): StoredImage => withStatus(name, { phase: 'Syncing', progress: '42%', message: 'downloads' });
const failed = (name: string): StoredImage => withStatus(name, { phase: 'Failed', message: 'there is nothing at this url' });
const foreign = (name: string): StoredImage => imageOf(name, { metadata: { ownerReferences: undefined } });

const conditionsOf = ({ conditions = [] }: DataSyncStatus): Record<string, string> =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));

type Case = {
  of?: Override<DataSync>;
  images: readonly StoredImage[];
  refused?: Refused;
  phase: DataSyncStatus['phase'];
  ready: string;
  reconciling: string;
  stalled: string;
  message: RegExp;
};
const cases: Record<string, Case> = {
  'nothing made yet': {
    images: [],
    phase: 'Queued',
    ready: 'False Queued',
    reconciling: 'True Progressing',
    stalled: 'False Progressing',
    message: /^0 of 2 images can be cloned; 2 wait$/,
  },
  'one syncs, one waits': {
    images: [syncing('a'), imageOf('b')],
    phase: 'Syncing',
    ready: 'False Syncing',
    reconciling: 'True Progressing',
    stalled: 'False Progressing',
    message: /; a syncs; 1 waits$/,
  },
  'all can be cloned': {
    images: [syncedImage('a'), syncedImage('b')],
    phase: 'Succeeded',
    ready: 'True Succeeded',
    reconciling: 'False UpToDate',
    stalled: 'False UpToDate',
    message: /^2 of 2 images can be cloned$/,
  },
  'no items: nothing is missing': {
    of: { spec: { vms: [] } },
    images: [],
    phase: 'Succeeded',
    ready: 'True Succeeded',
    reconciling: 'False UpToDate',
    stalled: 'False UpToDate',
    message: /^0 of 0/,
  },
  'one was given up while another syncs': {
    images: [failed('a'), syncing('b')],
    phase: 'Failed',
    ready: 'False ImagesFailed',
    reconciling: 'True Progressing',
    stalled: 'True ImagesFailed',
    message: /b syncs; a failed: lab-7-a there is nothing at this url$/,
  },
  'one was given up and nothing else is to be done': {
    images: [failed('a'), syncedImage('b')],
    phase: 'Failed',
    ready: 'False ImagesFailed',
    reconciling: 'False ImagesFailed',
    stalled: 'True ImagesFailed',
    message: /a failed/,
  },
  'a name is taken': {
    images: [foreign('a'), failed('b')],
    phase: 'Failed',
    ready: 'False NameTaken',
    reconciling: 'False NameTaken',
    stalled: 'True NameTaken',
    message: /item a: VMDiskImage lab-7-a exists already and belongs to nobody: rename the item .* or delete that image/,
  },
  'the server refuses an image': {
    images: [syncedImage('b')],
    refused: new Map([['lab-7-a', { write: 'create', words: 'exceeded quota' }]]),
    phase: 'Failed',
    ready: 'False RefusedByPlatform',
    reconciling: 'False RefusedByPlatform',
    stalled: 'True RefusedByPlatform',
    message: /item a: the API server refuses it: exceeded quota$/,
  },
  'an image that was synced from a former url waits': {
    of: { spec: { vms: [item('a')] } },
    images: [{ ...syncedImage('a'), spec: { ...imageOf('a').spec, url: 'https://images.example.com/new' } }],
    phase: 'Queued',
    ready: 'False Queued',
    reconciling: 'True Progressing',
    stalled: 'False Progressing',
    message: /1 waits$/,
  },
  'a failure of a former spec is no failure': {
    of: { spec: { vms: [item('a')] } },
    images: [withStatus('a', { phase: 'Failed', observedGeneration: 0 })],
    phase: 'Queued',
    ready: 'False Queued',
    reconciling: 'True Progressing',
    stalled: 'False Progressing',
    message: /1 waits$/,
  },
  'the server refuses a change': {
    images: [syncedImage('a'), syncedImage('b')],
    refused: new Map([['lab-7-a', { write: 'change', words: 'frozen' }]]),
    phase: 'Failed',
    ready: 'False RefusedByPlatform',
    reconciling: 'False RefusedByPlatform',
    stalled: 'True RefusedByPlatform',
    message: /item a: the API server refuses the change: frozen$/,
  },
  'the server refuses to delete the image of an item that was removed: those that are wanted are ready': {
    of: { spec: { vms: [item('b')] } },
    images: [imageOf('a'), syncedImage('b')],
    refused: new Map([['lab-7-a', { write: 'delete', words: 'frozen' }]]),
    phase: 'Succeeded',
    ready: 'True Succeeded',
    reconciling: 'True Progressing',
    stalled: 'False Progressing',
    message:
      /^1 of 1 images can be cloned; the API server refuses to delete VMDiskImage lab-7-a: frozen; change the rule or the rights that forbid it, and it goes on by itself within a minute$/,
  },
  'of several that leave each is told as what happens to it': {
    of: { spec: { vms: [] } },
    images: [imageOf('d'), imageOf('c'), imageOf('b'), imageOf('a')],
    refused: new Map([
      ['lab-7-d', { write: 'delete', words: 'frozen d' }],
      ['lab-7-b', { write: 'delete', words: 'frozen b' }],
      ['lab-7-a', { write: 'release', words: 'not yours' }],
    ]),
    phase: 'Succeeded',
    ready: 'True Succeeded',
    reconciling: 'True Progressing',
    stalled: 'False Progressing',
    message:
      /; removes VMDiskImage lab-7-c \(finalizers [^)]+\); the API server refuses to delete VMDiskImage lab-7-b: frozen b \(the same with lab-7-d\); change .* a minute; the API server refuses to take the owner off VMDiskImage lab-7-a, which machines use: not yours; change .* a minute$/,
  },
  'an image of an item that was removed is still there': {
    of: { spec: { vms: [item('b')] } },
    images: [imageOf('a'), syncedImage('b')],
    phase: 'Succeeded',
    ready: 'True Succeeded',
    reconciling: 'True Progressing',
    stalled: 'False Progressing',
    message: /removes VMDiskImage lab-7-a \(finalizers pelotech.ot\/cleanup\)$/,
  },
  'an image that was in use stays, and is named': {
    of: { spec: { vms: [item('b')] } },
    images: [foreign('a'), syncedImage('b')],
    phase: 'Succeeded',
    ready: 'True Succeeded',
    reconciling: 'False UpToDate',
    stalled: 'False UpToDate',
    message: /left in place because machines used it: VMDiskImage lab-7-a; delete it when no machine needs it$/,
  },
  'several images that were in use stay, and are named': {
    of: { spec: { vms: [item('c')] } },
    images: [foreign('b'), foreign('a'), syncedImage('c')],
    phase: 'Succeeded',
    ready: 'True Succeeded',
    reconciling: 'False UpToDate',
    stalled: 'False UpToDate',
    message:
      /left in place because machines used them: VMDiskImages lab-7-a, lab-7-b; delete each of them when no machine needs it$/,
  },
  'paused before everything was made': {
    of: { metadata: { annotations: { 'pelotech.ot/paused': 'true' } } },
    images: [],
    phase: 'Queued',
    ready: 'False Paused',
    reconciling: 'False Paused',
    stalled: 'False Paused',
    message: /paused by the annotation pelotech.ot\/paused/,
  },
  'deleted, and an image is not gone yet': {
    of: { metadata: { deletionTimestamp: '2026-01-15T09:00:00Z' } },
    images: [imageOf('a')],
    phase: 'Queued',
    ready: 'False Deleting',
    reconciling: 'True Deleting',
    stalled: 'False Deleting',
    message: /^is being deleted, and waits for VMDiskImage lab-7-a \(finalizers pelotech.ot\/cleanup\) to be gone$/,
  },
  'deleted, and the server refuses to delete an image: its item has not failed': {
    of: { metadata: { deletionTimestamp: '2026-01-15T09:00:00Z' } },
    images: [syncedImage('a'), imageOf('b')],
    refused: new Map([['lab-7-a', { write: 'delete', words: 'frozen' }]]),
    phase: 'Queued',
    ready: 'False Deleting',
    reconciling: 'True Deleting',
    stalled: 'False Deleting',
    message:
      /^is being deleted, and waits for VMDiskImage lab-7-b \(finalizers [^)]+\) to be gone; the API server refuses to delete VMDiskImage lab-7-a: frozen; change /,
  },
};
for (const [sentence, { of = {}, images, refused = new Map(), phase, ready, reconciling, stalled, message }] of Object.entries(
  cases,
)) {
  test(`status: ${sentence}`, () => {
    const status = statusOf(aSnapshot(of, images), refused);
    assert.equal(status.phase, phase);
    assert.deepEqual(conditionsOf(status), { Ready: ready, Reconciling: reconciling, Stalled: stalled });
    assert.match(status.message ?? '', message);
    const { total = 0, queued = 0, syncing: inSync = 0, succeeded = 0, failed: givenUp = 0 } = status.counts ?? {};
    assert.equal(queued + inSync + succeeded + givenUp, total);
    assert.equal(total, status.images?.length);
  });
}

test('status: every item has a line of its own', () => {
  const { images, counts } = statusOf(aSnapshot({}, [syncing('a'), syncedImage('b')]), new Map());
  assert.deepEqual(images, [
    { name: 'a', vmDiskImage: 'lab-7-a', phase: 'Syncing', progress: '42%', message: 'downloads' },
    { name: 'b', vmDiskImage: 'lab-7-b', phase: 'Succeeded', progress: '100%', message: 'machines can clone it' },
  ]);
  assert.deepEqual(counts, { total: 2, queued: 0, syncing: 1, succeeded: 1, failed: 0 });
});

test('status: a condition keeps the time of its last change', () => {
  const before = statusOf(aSnapshot(), new Map());
  const later = { ...aSnapshot({ status: before as never }, [syncing('a')]), nowMs: nowMs + 60_000 };
  const times = statusOf(later, new Map()).conditions?.map(({ lastTransitionTime }) => lastTransitionTime);
  assert.deepEqual(times, ['2026-01-15T10:00:00Z', '2026-01-15T10:00:00Z', '2026-01-15T10:00:00Z']);
});

test('status: a hundred long messages do not make an object too large', () => {
  const vms = Array.from({ length: 100 }, (_, index) => item(`vm-${index}`));
  const images = vms.map(({ name }) => withStatus(name, { phase: 'Failed', message: 'x'.repeat(30_000) }));
  assert.ok(JSON.stringify(statusOf(aSnapshot({ spec: { vms } }, images), new Map())).length < 100_000);
  const refused: Refused = new Map(images.map(({ metadata }) => [metadata.name, { write: 'delete', words: 'x'.repeat(30_000) }]));
  assert.ok((statusOf(aSnapshot({ spec: { vms: [] } }, images), refused).message ?? '').length < 1000);
});
