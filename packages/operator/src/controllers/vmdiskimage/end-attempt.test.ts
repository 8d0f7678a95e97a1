import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '@terrain/api';
import { ApiError, type KubeObject } from '@terrain/runtime';
import type { DataVolume } from '#platform/cdi.ts';
import { anEntry, aSnapshot, aVolume, syncing, volumeName } from '#testing/image-world.ts';
import { clearAttempt } from './clear-entry.ts';
import { decide } from './decide.ts';
import { endAttempt } from './end-attempt.ts';
import { Memories } from './memory.ts';
import { NamespaceUse } from './namespace-use.ts';
import type { Pass } from './pass.ts';
import type { StoredImage } from './snapshot.ts';
import type { Step } from './step.ts';

/** A pass over an image, with what live reads find; each status it writes is told. */
function passTelling(eyes: object, tell: (status: StoredImage['status']) => void): Pass {
  return {
    deps: {
      eyes,
      intake: { wrote: () => undefined },
      memories: { forget: () => undefined },
      namespaceUse: new NamespaceUse(),
      record: () => undefined,
    },
    hands: {
      writeStatus: async (image: StoredImage, status: StoredImage['status']) => {
        tell(status);
        return { ...image, status, metadata: { ...image.metadata, resourceVersion: '99' } };
      },
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
}

/** An attempt that runs by its status, without a slot and a DataVolume as far as the caches know. */
function interrupted(stored: LedgerEntry | 'unreadable' | undefined) {
  const snapshot = aSnapshot({ image: { status: syncing() } });
  const decision = decide(snapshot);
  const written: string[] = [];
  const eyes = { dataVolume: async () => undefined, entry: async () => stored };
  const pass = passTelling(eyes, (status) => written.push(String(status?.history?.at(-1)?.result)));
  const step = decision.step as Extract<Step, { kind: 'end' }>;
  return { step, written, result: endAttempt(pass, snapshot, decision, step) };
}

test('an attempt without a slot is over', async () => {
  const { step, written, result } = interrupted(undefined);
  assert.equal(step.kind, 'end');
  assert.deepEqual([(await result).afterMs, written], [0, ['Interrupted']]);
});

for (const [name, stored] of Object.entries({ 'has a slot': anEntry(), 'cannot be read': 'unreadable' as const }))
  test(`an attempt goes on whose slot the cache does not show, when the stored ledger ${name}`, async () => {
    const { written, result } = interrupted(stored);
    assert.deepEqual([(await result).afterMs, written], [1000, []]);
  });

/** An attempt whose DataVolume the caches do not show any more; `live` is what a look at it finds. */
async function unseen(live: DataVolume | undefined) {
  const snapshot = aSnapshot({ image: { status: syncing({ attempt: { dataVolumeUID: 'made' } }) }, entry: anEntry() });
  const decision = decide(snapshot);
  const written: (string | undefined)[] = [];
  const pass = passTelling({ dataVolume: async () => live }, (status) => written.push(status?.retry?.lastMessage));
  const { afterMs } = await endAttempt(pass, snapshot, decision, decision.step as Extract<Step, { kind: 'end' }>);
  return { afterMs, written };
}

test('a DataVolume that the caches do not show and that is there is waited for: they are behind', async () => {
  assert.deepEqual(await unseen(aVolume()), { afterMs: 1000, written: [] });
});

test('a DataVolume that is gone ends its attempt', async () => {
  const message = `DataVolume ${volumeName(1)} was deleted by someone else`;
  assert.deepEqual(await unseen(undefined), { afterMs: 0, written: [message] });
});

for (const label of ['app.kubernetes.io/managed-by', 'pelotech.ot/source-hash'])
  test(`a DataVolume that lost its label ${label} ends its attempt, since no cache will ever show it again`, async () => {
    const volume = aVolume();
    const { [label]: _, ...labels } = volume.metadata.labels ?? {};
    const { afterMs, written } = await unseen({ ...volume, metadata: { ...volume.metadata, labels } });
    const message = `DataVolume ${volumeName(1)} lost the label ${label}, by which the operator follows it: this attempt is over; find out who changes labels`;
    assert.deepEqual({ afterMs, written }, { afterMs: 0, written: [message] });
  });

test('a look at the slot of an ended attempt notes what holds it, for the next status to tell', async () => {
  const memories = new Memories();
  const look = async (importer: KubeObject | undefined, live?: DataVolume) => {
    const status = syncing({ attempt: { dataVolumeUID: 'gone' }, retry: { lastAttempt: 1 } });
    const snapshot = aSnapshot({ image: { status }, entry: anEntry({ state: 'closing' }) });
    const decision = decide(snapshot);
    const pass = {
      deps: {
        eyes: { dataVolume: async () => live, importer: async () => importer },
        intake: { wrote: () => undefined },
        keeper: { change: async () => undefined, closingForMs: () => 60_000 },
        memories,
        namespaceUse: new NamespaceUse(),
      },
      hands: {
        writeStatus: async (image: StoredImage) => image,
        deleteDataVolume: () => Promise.reject(new ApiError(403, { message: 'w says no', reason: 'Forbidden' }, 'DELETE /')),
      },
      log: { warn: () => undefined },
      signal: new AbortController().signal,
    } as unknown as Pass;
    await clearAttempt(pass, snapshot, decision, decision.step as Extract<Step, { kind: 'clear' }>);
    return memories.of(snapshot.image.metadata.uid, undefined).slotHolder?.what;
  };
  const importer = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'importer-disk', finalizers: ['example.com/hook'] } };
  assert.equal(await look(importer), 'Pod importer-disk (finalizer example.com/hook)');
  assert.equal(await look(undefined), undefined);
  const refused = `DataVolume ${volumeName(1)} (which may not be deleted: w says no)`;
  assert.equal(await look(undefined, aVolume({ phase: 'ImportInProgress' })), refused);
});
