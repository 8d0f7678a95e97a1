import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImageStatus } from '@terrain/api';
import type { Claim } from '#platform/core.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { aClaim, aCut, ago, aSnapshot, cutNameOf, synced, volumeName } from '#testing/image-world.ts';
import { decide } from './decide.ts';
import { lose } from './lost-artifact.ts';
import { NamespaceUse } from './namespace-use.ts';
import type { Pass } from './pass.ts';
import type { StoredImage } from './snapshot.ts';
import type { Step } from './step.ts';

type Live = { readonly cut?: VolumeSnapshot; readonly claim?: Claim; readonly syncedAt?: string };

/** An artifact of which the caches show nothing; what is given is what there really is. */
async function losing({ cut, claim, syncedAt = ago(3600) }: Live) {
  const snapshot = aSnapshot({ image: { status: synced({ artifact: { syncedAt } }) } });
  const decision = decide(snapshot);
  const written: VMDiskImageStatus[] = [];
  const pass = {
    deps: {
      namespaceUse: new NamespaceUse(),
      eyes: { snapshot: async () => cut, claim: async () => claim },
      intake: { wrote: () => undefined },
      record: () => undefined,
    },
    hands: {
      writeStatus: async (image: StoredImage, status: VMDiskImageStatus) => {
        written.push(status);
        return image;
      },
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
  assert.equal(decision.step.kind, 'lose');
  const { afterMs } = await lose(pass, snapshot, decision, decision.step as Extract<Step, { kind: 'lose' }>);
  const told = written.map(({ message, artifact, conditions }) => ({
    message,
    artifact: artifact?.volumeSnapshot,
    ready: conditions?.find(({ type }) => type === 'Ready')?.status,
  }));
  return { afterMs, told };
}

const without = <T extends Claim>(claim: T): T => ({ ...claim, metadata: { ...claim.metadata, labels: {} } });
const cut = `VolumeSnapshot ${cutNameOf(1)}`;
const claim = `PersistentVolumeClaim ${volumeName(1)}`;
const downloadsAgain = `${cut} and the volume it was cut from are gone: downloads again`;

const gone: Record<string, Live> = {
  'both are gone': {},
  'both are on their way out': { cut: aCut({ isGoing: true }), claim: aClaim({ isGoing: true }) },
  'the snapshot never was ready, and the claim is lost': { cut: aCut({ ready: false }), claim: aClaim({ phase: 'Lost' }) },
  'the claim is another one, that holds nothing yet': { claim: aClaim({ phase: 'Pending' }) },
};
for (const [name, live] of Object.entries(gone))
  test(`an artifact is lost: ${name}`, async () =>
    assert.deepEqual(await losing(live), {
      afterMs: 0,
      told: [{ message: downloadsAgain, artifact: undefined, ready: 'False' }],
    }));

const kept: Record<string, { given: Live; want: string }> = {
  'the snapshot is ready, and not among those the operator hears of': {
    given: { cut: aCut() },
    want: `${cut} can be cloned, but the operator does not hear of it: put its label app.kubernetes.io/managed-by and the reference to its image back, or delete it, then it is made again`,
  },
  'the snapshot is ready with an error, and the claim is gone': {
    given: { cut: aCut({ error: 'the driver does not answer' }) },
    want: `${cut} cannot be cloned (the driver does not answer), and ${claim} it was cut from is gone: look at the driver, or delete the snapshot, then the image is downloaded again`,
  },
  'the claim has lost its label': {
    given: { claim: without(aClaim()) },
    want: `${cut} is gone, and ${claim} it was cut from has lost a label: put pelotech.ot/attempt=1 back, then it is cut again, or delete the claim, then the image is downloaded again`,
  },
  'the claim is there, and nobody has told so': {
    given: { claim: aClaim() },
    want: `${cut} is gone, and the operator does not hear of ${claim} it was cut from: it is cut again when it does; if that does not come, look at the connection of the operator to the API server`,
  },
};
for (const [name, { given, want }] of Object.entries(kept))
  test(`an artifact is not called lost, and not ready: ${name}`, async () =>
    assert.deepEqual(await losing(given), {
      afterMs: 60_000,
      told: [{ message: want, artifact: cutNameOf(1), ready: 'False' }],
    }));

test('an artifact that has just been made is given a moment to be heard of, and nothing is said', async () => {
  assert.deepEqual(await losing({ cut: aCut(), syncedAt: ago(59) }), { afterMs: 1000, told: [] });
  assert.equal((await losing({ cut: aCut(), syncedAt: ago(60) })).told.length, 1);
});
