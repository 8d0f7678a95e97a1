import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImageStatus } from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';
import type { LedgerChange } from '#ledger/transition.ts';
import type { DataVolume } from '#platform/cdi.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { aCut, ago, anEntry, aSnapshot, aVolume, cutNameOf, deleted, syncing, volumeName } from '#testing/image-world.ts';
import { decide } from './decide.ts';
import { NamespaceUse } from './namespace-use.ts';
import type { Pass } from './pass.ts';
import { keepImage, removeImage } from './removal.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';
import type { Step } from './step.ts';

const protectedToo = { ...deleted, finalizers: ['pelotech.ot/cleanup', 'pelotech.ot/in-use'] };

/** An image that is being deleted and has nothing left as far as the caches know; `live` is what there really is. */
function removing(slot: Snapshot['slot'], live: readonly DataVolume[], inUseBeside: readonly string[] = []) {
  const snapshot = aSnapshot({
    image: { metadata: protectedToo },
    slot,
    namespace: { isTerminating: false, isMarkedInUse: true },
  });
  const decision = decide(snapshot);
  const done: string[] = [];
  const pass = {
    deps: {
      eyes: { childrenOf: async () => ({ dataVolumes: live, snapshots: [] }) },
      informers: { images: { store: { keysByIndex: () => inUseBeside } } },
      keeper: { forget: () => undefined },
      memories: { forget: () => undefined },
      namespaceUse: new NamespaceUse(),
    },
    hands: {
      deleteDataVolume: async () => void done.push('delete volume'),
      markNamespace: async (_: string, isInUse: boolean) => void done.push(isInUse ? 'mark' : 'unmark'),
      removeFinalizer: async (image: StoredImage, finalizer: string) => {
        done.push(`remove ${finalizer}`);
        return image;
      },
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
  assert.equal(decision.step.kind, 'remove');
  return { done, result: removeImage(pass, snapshot, decision, decision.step as Extract<Step, { kind: 'remove' }>) };
}

const readable: Snapshot['slot'] = { ledger: 'readable', entry: undefined, limit: 1 };
const unreadable: Snapshot['slot'] = { ledger: 'unreadable', message: 'm' };
const finalizers = ['remove pelotech.ot/in-use', 'remove pelotech.ot/cleanup'];
const all = ['unmark', ...finalizers];

const cases: Record<string, { given: Parameters<typeof removing>; want: readonly string[] }> = {
  'nothing left: the namespace is not in use because of it any more': { given: [readable, []], want: all },
  'nothing left, and machines refer to another image of its namespace': {
    given: [readable, [], ['vmdi-farm/other']],
    want: finalizers,
  },
  'a download is left that the cache does not show': { given: [readable, [aVolume()]], want: ['delete volume'] },
  'nothing left, and the ledger cannot be read': { given: [unreadable, []], want: all },
  'a complete download is left, and the ledger cannot be read': {
    given: [unreadable, [aVolume({ phase: 'Succeeded' })]],
    want: ['delete volume'],
  },
  'a download runs that the cache does not show, and its slot cannot be given back': {
    given: [unreadable, [aVolume()]],
    want: [],
  },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`an image is removed: ${name}`, async () => {
    const { done, result } = removing(...given);
    await result;
    assert.deepEqual(done, want);
  });

const importer: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'importer-disk', finalizers: ['example.com/hook'] },
};

interface Held {
  readonly attempt: number;
  /** Machines that refer to it. */
  readonly machines?: readonly string[];
  readonly volumes: readonly DataVolume[];
  readonly cuts: readonly VolumeSnapshot[];
  readonly isImporterLeft?: boolean;
}

/** An image that is being deleted while an attempt of it holds a slot; what is given is what there really is. */
async function holding({ attempt, volumes, cuts, isImporterLeft = false, machines = [] }: Held) {
  const entry = anEntry({ attempt });
  const status = syncing({ attempt: { number: attempt, dataVolume: volumeName(attempt) } });
  const references = { count: machines.length, names: machines, asOf: '1', waiting: undefined };
  const snapshot = aSnapshot({ image: { metadata: deleted, status }, entry, references });
  const decision = decide(snapshot);
  const did: string[] = [];
  let present = volumes;
  const pass = {
    deps: {
      eyes: {
        childrenOf: async () => ({ dataVolumes: present, snapshots: cuts }),
        dataVolume: async (_: string, name: string) => present.find(({ metadata }) => metadata.name === name),
        importer: async () => (isImporterLeft ? importer : undefined),
      },
      keeper: {
        change: async ({ kind }: LedgerChange) => void did.push(kind),
        closingForMs: () => 60_000,
        forget: () => undefined,
      },
      informers: { dataVolumes: { served: true } },
      intake: { wrote: () => undefined },
      memories: {
        forget: () => undefined,
        slotHeldBy: (_uid: string, _attempt: number, what: string | undefined) => what !== undefined && did.push(`note ${what}`),
      },
      namespaceUse: new NamespaceUse(),
    },
    hands: {
      writeStatus: async (image: StoredImage, { message }: VMDiskImageStatus) => {
        did.push(`say ${message}`);
        return image;
      },
      deleteSnapshot: async ({ metadata }: VolumeSnapshot) => void did.push(`delete ${metadata.name}`),
      deleteDataVolume: async ({ metadata }: DataVolume) => {
        did.push(`delete ${metadata.name}`);
        present = present.filter((volume) => volume.metadata.uid !== metadata.uid);
      },
      removeFinalizer: async (image: StoredImage, finalizer: string) => {
        did.push(`remove ${finalizer}`);
        return image;
      },
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
  const { step } = decision;
  if (step.kind === 'inUse') await keepImage(pass, snapshot, decision, step);
  else await removeImage(pass, snapshot, decision, step as Extract<Step, { kind: 'remove' }>);
  return did;
}

const complete = aVolume({ phase: 'Succeeded' });
const hanging = aCut({ isGoing: true });
const slots: Record<string, { given: Held; want: readonly string[] }> = {
  'its snapshot does not go: the slot is free, and the volume stays for it': {
    given: { attempt: 1, volumes: [complete], cuts: [hanging] },
    want: ['close', 'release'],
  },
  'its snapshot does not go, and an importer is left': {
    given: { attempt: 1, volumes: [complete], cuts: [hanging], isImporterLeft: true },
    want: ['close'],
  },
  'the snapshot of an older source does not go: the download that runs ends all the same': {
    given: { attempt: 2, volumes: [complete, aVolume({ attempt: 2 })], cuts: [hanging] },
    want: ['close', `delete ${volumeName(2)}`],
  },
  'the snapshot of an older source does not go, and the download is gone': {
    given: { attempt: 2, volumes: [complete], cuts: [hanging] },
    want: ['close', 'release'],
  },
  'the snapshot of an older source does not go, and a newer download is complete': {
    given: { attempt: 2, volumes: [complete, aVolume({ attempt: 2, phase: 'Succeeded' })], cuts: [hanging] },
    want: ['close', 'release', `delete ${volumeName(2)}`],
  },
  'its snapshot was not deleted yet': {
    given: { attempt: 1, volumes: [complete], cuts: [aCut()] },
    want: ['close', 'release', `delete ${cutNameOf(1)}`],
  },
  'nothing is left but the slot': {
    given: { attempt: 1, volumes: [], cuts: [] },
    want: ['close', 'release', 'remove pelotech.ot/cleanup'],
  },
};
const machines = ['lab/m'];
const inUse =
  'say is being deleted, but 1 virtual machine refers to it (lab/m): delete them first, or point them to another image';
const kept: Record<string, { given: Held; want: readonly string[] }> = {
  'its download runs: it ends, and the snapshot and the volume machines were cloned from stay': {
    given: { attempt: 2, volumes: [complete, aVolume({ attempt: 2 })], cuts: [aCut()], machines },
    want: [inUse, 'close', `delete ${volumeName(2)}`, `note DataVolume ${volumeName(2)}`],
  },
  'its download is gone': {
    given: { attempt: 2, volumes: [complete], cuts: [aCut()], machines },
    want: [inUse, 'close', 'release'],
  },
  'its download is gone, and its importer is not': {
    given: { attempt: 2, volumes: [complete], cuts: [aCut()], isImporterLeft: true, machines },
    want: [inUse, 'close', 'note Pod importer-disk (finalizer example.com/hook)'],
  },
  'its download is complete: it takes no slot, and stays': {
    given: { attempt: 1, volumes: [complete], cuts: [aCut()], machines },
    want: [inUse, 'close', 'release'],
  },
};
for (const [name, { given, want }] of Object.entries(kept))
  test(`an image that holds a slot is to be removed while machines refer to it: ${name}`, async () =>
    assert.deepEqual(await holding(given), want));

for (const [name, { given, want }] of Object.entries(slots))
  test(`an image that holds a slot is removed: ${name}`, async () => assert.deepEqual(await holding(given), want));

/** An image whose deletion began so many seconds ago, and of which nothing is left but a pod that downloads for it. */
async function heldByImporter(seconds: number) {
  const snapshot = aSnapshot({ image: { metadata: { deletionTimestamp: ago(seconds) } }, entry: anEntry({ state: 'closing' }) });
  const decision = decide(snapshot);
  const told: (string | undefined)[] = [];
  const pass = {
    deps: {
      eyes: {
        childrenOf: async () => ({ dataVolumes: [], snapshots: [] }),
        dataVolume: async () => undefined,
        importer: async () => importer,
      },
      keeper: { closingForMs: () => 60_000 },
    },
    hands: { writeStatus: async (_: StoredImage, { message }: VMDiskImageStatus) => void told.push(message) },
    signal: new AbortController().signal,
  } as unknown as Pass;
  const { afterMs } = await removeImage(pass, snapshot, decision, decision.step as Extract<Step, { kind: 'remove' }>);
  return { afterMs, told };
}

test('a pod that downloads for an image long deleted is named', async () => {
  assert.deepEqual(await heldByImporter(59), { afterMs: 1000, told: [] });
  const sentence =
    'is being deleted, and waits for Pod importer-disk (finalizer example.com/hook) to be gone; look at what holds them';
  assert.deepEqual(await heldByImporter(60), { afterMs: 60_000, told: [sentence] });
});

/** An image whose deletion began so many seconds ago, and whose children do not go. */
async function blocked(seconds: number) {
  const snapshot = aSnapshot({ image: { metadata: { deletionTimestamp: ago(seconds) } } });
  const decision = decide(snapshot);
  const cut = aCut({ isGoing: true });
  const volume = aVolume({ phase: 'Succeeded', isGoing: true });
  const held = { ...cut, metadata: { ...cut.metadata, finalizers: ['snapshot.example.com/protect', 'example.com/backup'] } };
  const told: VMDiskImageStatus[] = [];
  const pass = {
    deps: { eyes: { childrenOf: async () => ({ dataVolumes: [volume], snapshots: [held] }) } },
    hands: { writeStatus: async (_: StoredImage, status: VMDiskImageStatus) => void told.push(status) },
    signal: new AbortController().signal,
  } as unknown as Pass;
  const { afterMs } = await removeImage(pass, snapshot, decision, decision.step as Extract<Step, { kind: 'remove' }>);
  return { afterMs, told };
}

test('what holds up a deletion is named after a minute, and not before', async () => {
  assert.deepEqual(await blocked(59), { afterMs: 1000, told: [] });
  const { afterMs, told } = await blocked(60);
  assert.equal(afterMs, 60_000);
  const sentence = `is being deleted, and waits for VolumeSnapshot ${cutNameOf(1)} (finalizer snapshot.example.com/protect, example.com/backup) and DataVolume ${volumeName(1)} to be gone; look at what holds them`;
  assert.equal(told[0]?.message, sentence);
  assert.deepEqual(
    told[0]?.conditions?.map(({ type, message }) => [type, message]),
    ['Ready', 'Imported', 'Snapshotted', 'Reconciling', 'Stalled'].map((type) => [type, sentence]),
  );
});
