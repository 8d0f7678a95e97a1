import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '@terrain/api';
import { ApiError, type KubeObject } from '@terrain/runtime';
import type { LedgerChange } from '#ledger/transition.ts';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim } from '#platform/core.ts';
import { clearEntry } from './clear-entry.ts';
import type { Pass } from './pass.ts';

const image = { namespace: 'ns', name: 'disk', uid: 'u' };
const entry = { image: 'ns/disk', attempt: 1, state: 'closing' } as LedgerEntry;

const foreign = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'disk', namespace: 'ns', uid: 'foreign' },
  spec: {},
} as DataVolume;
const claimOf = (owner: string): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'disk',
    uid: 'claim',
    ownerReferences: [{ apiVersion: '', kind: 'DataVolume', name: 'disk', uid: owner, controller: true }],
  },
});

/** Somebody else has a DataVolume under the name of an attempt. Answers whose importers were not counted as ours. */
async function besideForeign(claim: Claim | undefined) {
  const excepted: (string | undefined)[] = [];
  const pass = {
    deps: {
      keeper: { change: async () => undefined, closingForMs: () => 60_000 },
      eyes: {
        dataVolume: async () => foreign,
        claim: async () => claim,
        importer: async (_: string, __: string, ___: AbortSignal, claimUid?: string) => {
          excepted.push(claimUid);
          return undefined;
        },
      },
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
  await clearEntry(pass, image, entry, false);
  return excepted;
}

test('importers of a claim that belongs to a foreign DataVolume are not counted', async () => {
  assert.deepEqual(await besideForeign(claimOf('foreign')), ['claim']);
});

test('beside a foreign DataVolume that has no claim, or not this one, every importer counts', async () => {
  assert.deepEqual(await besideForeign(undefined), [undefined]);
  assert.deepEqual(await besideForeign(claimOf('ours')), [undefined]);
});

/** The DataVolume of the attempt is there, in a phase. */
async function besideOwn(phase: string) {
  const did: string[] = [];
  const ownerReferences = [{ apiVersion: '', kind: 'VMDiskImage', name: 'disk', uid: 'u', controller: true }];
  const own: DataVolume = { ...foreign, metadata: { ...foreign.metadata, ownerReferences }, status: { phase } };
  const pass = {
    deps: {
      keeper: { change: async ({ kind }: LedgerChange) => void did.push(kind), closingForMs: () => 0 },
      eyes: { dataVolume: async () => own, importer: async () => undefined },
      informers: { dataVolumes: { served: true } },
    },
    hands: { deleteDataVolume: async () => void did.push('delete') },
    signal: new AbortController().signal,
  } as unknown as Pass;
  await clearEntry(pass, image, entry, false);
  return did;
}

test('a download that is not complete is deleted before its slot is given away', async () => {
  for (const phase of ['ImportInProgress', 'Failed']) assert.deepEqual(await besideOwn(phase), ['delete'], phase);
});

test('a download that is complete takes no slot, and stays: a rival may have cut it meanwhile', async () => {
  assert.deepEqual(await besideOwn('Succeeded'), ['release']);
});

const importer: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'importer-disk' } };

/** The DataVolume is gone at once, since it is deleted in the background; its importer may go on downloading. */
function clearing(isImporterLeft: boolean) {
  const changes: LedgerChange['kind'][] = [];
  const pass = {
    deps: {
      keeper: { change: async ({ kind }: LedgerChange) => void changes.push(kind), closingForMs: () => 60_000 },
      eyes: { dataVolume: async () => undefined, importer: async () => (isImporterLeft ? importer : undefined) },
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
  return { changes, result: clearEntry(pass, image, entry, true) };
}

test('a slot is not given away while an importer is left, and looked at again', async () => {
  const { changes, result } = clearing(true);
  assert.deepEqual(await result, { afterMs: 60_000, holder: importer });
  assert.deepEqual(changes, []);
});

test('a slot is given away when no importer is left', async () => {
  const { changes, result } = clearing(false);
  assert.deepEqual([(await result).afterMs, changes], [undefined, ['release']]);
});

test('an entry that may never have got a DataVolume stays closing for five seconds', async () => {
  const closed = async (ms: number) => {
    const changes: LedgerChange['kind'][] = [];
    const pass = {
      deps: {
        keeper: { change: async ({ kind }: LedgerChange) => void changes.push(kind), closingForMs: () => ms },
        eyes: { dataVolume: async () => undefined, importer: async () => undefined },
      },
      signal: new AbortController().signal,
    } as unknown as Pass;
    return [(await clearEntry(pass, image, entry, false)).afterMs, changes];
  };
  assert.deepEqual(await closed(0), [5000, []]);
  assert.deepEqual(await closed(4999), [1, []]);
  assert.deepEqual(await closed(5000), [undefined, ['release']]);
});

test('a DataVolume that may not be deleted is named with the words of who refuses, and tried again', async () => {
  const ownerReferences = [{ apiVersion: '', kind: 'VMDiskImage', name: 'disk', uid: 'u', controller: true }];
  const own: DataVolume = {
    ...foreign,
    metadata: { ...foreign.metadata, ownerReferences },
    status: { phase: 'ImportInProgress' },
  };
  const denied = new ApiError(403, { message: 'admission webhook "w" denied the request: no', reason: 'Forbidden' }, 'DELETE /x');
  const pass = {
    deps: { keeper: { change: async () => undefined }, eyes: { dataVolume: async () => own } },
    hands: { deleteDataVolume: () => Promise.reject(denied) },
    log: { warn: () => undefined },
    signal: new AbortController().signal,
  } as unknown as Pass;
  const { afterMs, holder, refusal } = await clearEntry(pass, image, entry, true);
  assert.deepEqual([afterMs, holder?.metadata.name], [30_000, 'disk']);
  assert.equal(refusal, 'admission webhook "w" denied the request: no');
});
