import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, type VMDiskImageStatus } from '@terrain/api';
import { aVirtualMachine, stored } from '@terrain/api/testing';
import { ApiError, type KubeObject } from '@terrain/runtime';
import { policyOf, readPolicy } from '#policy/policy.ts';
import { aClaim, aCut, anEntry, anImage, aVolume, nowMs, synced, syncing } from '#testing/image-world.ts';
import { Memories } from './memory.ts';
import { NamespaceUse } from './namespace-use.ts';
import type { Pass } from './pass.ts';
import { reconcileImage } from './reconcile.ts';
import type { StoredImage } from './snapshot.ts';

const cacheOf = (...objects: KubeObject[]) => ({
  served: true,
  store: {
    get: (key: string) => objects.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
    values: () => objects.values(),
    byIndex: () => objects,
    keysByIndex: () => [],
    countByIndex: () => 0,
    resourceVersion: '60',
  },
});

/** A pass over a downloaded image that a machine refers to, in a namespace that may not be marked. */
function passOver(image: StoredImage, isAdmitted: boolean): Pass {
  return {
    key: 'vmdi-farm/debian',
    signal: new AbortController().signal,
    deps: {
      keeper: {
        ready: Promise.resolve(),
        ledger: { limit: 4 },
        policy: policyOf(readPolicy({}, new Map()).texts),
        entriesOf: () => [],
        entryOf: () => (isAdmitted ? anEntry() : undefined),
        closingSince: () => undefined,
        change: async () => undefined,
      },
      informers: {
        images: cacheOf(image),
        dataVolumes: cacheOf(aVolume({ phase: 'Succeeded' })),
        claims: cacheOf(aClaim()),
        snapshots: cacheOf(aCut()),
        storageClasses: cacheOf(),
        snapshotClasses: cacheOf(),
        machines: cacheOf(stored(aVirtualMachine({}))),
        namespaces: cacheOf(),
      },
      memories: new Memories(),
      namespaceUse: new NamespaceUse(),
      needs: { of: () => ({ secret: 'none', certConfigMap: 'none' }), release: () => undefined },
      serverNow: () => nowMs,
      intake: { decided: () => undefined, wrote: () => undefined },
      awaitPlatform: () => undefined,
      record: () => undefined,
    },
    hands: {
      addFinalizer: async (before: StoredImage) => before,
      markNamespace: () => Promise.reject(new ApiError(403, { message: 'no' }, 'PATCH /')),
      writeStatus: async (before: StoredImage, status: VMDiskImageStatus) => ({ ...before, status }),
    },
  } as unknown as Pass;
}

const paused = { annotations: { [annotations.paused]: 'true' } };
const cases: Record<string, { image: StoredImage; isAdmitted: boolean }> = {
  'has just been downloaded': { image: anImage({ status: syncing() }), isAdmitted: true },
  'is at rest': { image: anImage({ status: synced() }), isAdmitted: false },
  'is at rest and paused': { image: anImage({ metadata: paused, status: synced() }), isAdmitted: false },
};
for (const [name, { image, isAdmitted }] of Object.entries(cases))
  test(`an image that ${name} tries again to be protected, though nothing more happens to it`, async () => {
    assert.equal((await reconcileImage(passOver(image, isAdmitted))).afterMs, 30_000);
  });
