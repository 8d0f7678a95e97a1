import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@terrain/runtime';
import type { DataVolume } from '#platform/cdi.ts';
import { anEntry, aSnapshot, aVolume, syncing } from '#testing/image-world.ts';
import { createVolume } from './create-volume.ts';
import { decide } from './decide.ts';
import { NamespaceUse } from './namespace-use.ts';
import type { Pass } from './pass.ts';
import type { StoredImage } from './snapshot.ts';
import type { Step } from './step.ts';

const quota =
  'datavolumes.cdi.kubevirt.io "d" is forbidden: exceeded quota: tight, requested: count/datavolumes=1, used: 1, limited: 1';

/** A DataVolume that no cache shows is created, and the API server refuses that for its quota; `live` is what is really there. */
async function creating(live: DataVolume | undefined) {
  const entry = anEntry();
  const snapshot = aSnapshot({ image: { status: syncing() }, entry });
  const { status, metadata } = snapshot.image;
  const decision = decide(snapshot);
  const results: string[] = [];
  const seen: string[] = [];
  const pass = {
    deps: {
      namespaceUse: new NamespaceUse(),
      eyes: { image: async () => ({ metadata, status }), entry: async () => entry, dataVolume: async () => live },
      intake: { wrote: () => undefined },
      keeper: { entryOf: () => entry },
      memories: {
        forget: () => undefined,
        see: (_: string, __: unknown, { metadata: of }: DataVolume) => seen.push(of.name ?? ''),
      },
      record: () => undefined,
      serverNow: () => snapshot.nowMs,
    },
    hands: {
      addFinalizer: async (image: StoredImage) => image,
      createDataVolume: async () => {
        throw new ApiError(403, { reason: 'Forbidden', message: quota }, 'POST /apis/cdi.kubevirt.io/v1beta1/x');
      },
      writeStatus: async (image: StoredImage, next: StoredImage['status']) => {
        if (next?.history?.[0] !== undefined) results.push(next.history[0].result);
        return image;
      },
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
  assert.equal(decision.step.kind, 'create');
  await createVolume(pass, snapshot, decision, (decision.step as Extract<Step, { kind: 'create' }>).attempt);
  return { results, seen };
}

test('a refused DataVolume ends its attempt', async () => {
  assert.deepEqual(await creating(undefined), { results: ['QuotaExceeded'], seen: [] });
});

test('a DataVolume that is there, since only the answer to its creation was lost, downloads on whatever a second one is refused for', async () => {
  const there = aVolume();
  assert.deepEqual(await creating(there), { results: [], seen: [there.metadata.name] });
});

test('a DataVolume of somebody else, or of another source, is not taken for it', async () => {
  const owner = { apiVersion: 'v1', kind: 'Job', name: 'j', uid: 'other', controller: true };
  const foreign = aVolume();
  const stolen = { ...foreign, metadata: { ...foreign.metadata, ownerReferences: [owner] } };
  for (const live of [stolen, aVolume({ hash: 'another' })])
    assert.deepEqual(await creating(live), { results: ['QuotaExceeded'], seen: [] });
});
