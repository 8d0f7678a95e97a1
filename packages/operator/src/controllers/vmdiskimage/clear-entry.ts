/** How the slot of an attempt that is over is given back. */
import { dataVolumeName, type LedgerEntry } from '@terrain/api';
import { after, controllerUid, done, type KubeObject, type Result } from '@terrain/runtime';
import { holdersOf, patienceMs } from '#controllers/shared/removal.ts';
import { type DataVolume, isImported } from '#platform/cdi.ts';
import { refusedMs, wordsIfRefused } from '#platform/refusal.ts';
import type { Eyes } from './hands.ts';
import { cleanUp } from './housekeeping.ts';
import { type Pass, saveStatus } from './pass.ts';
import type { Snapshot } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

/** How long an entry that never got a DataVolume stays closing: a create that was on its way when it closed shows up in that time. */
const closingMs = 5000;
/** A slot that is given back wakes nobody who only rests; yet such an image may have a time to be removed at, which this pass did not look at. */
const lookAgain = after(0);

/**
 * Lets go of the slot of an attempt that is over: closing, then the DataVolume is deleted, then, when a live look shows neither it nor
 * a pod that downloads for it, the entry is released.
 */
export async function clearAttempt(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { entry, keepsDataVolume }: Extract<Step, { kind: 'clear' }>,
): Promise<Result> {
  const { deps } = pass;
  const { metadata, status } = snapshot.image;
  const { uid } = metadata;
  const { image } = await saveStatus(pass, snapshot, decision);
  if (keepsDataVolume) {
    await deps.keeper.change({ kind: 'release', uid, attempt: entry.attempt });
    return lookAgain;
  }
  const hadVolume = status?.attempt?.number === entry.attempt && status.attempt.dataVolumeUID !== undefined;
  const result = await clearEntry(pass, { namespace: metadata.namespace, name: metadata.name, uid }, entry, hadVolume);
  deps.memories.slotHeldBy(uid, entry.attempt, holderIn(result), snapshot.nowMs);
  await cleanUp(pass, { ...snapshot, image }, decision.record);
  return result.afterMs === undefined ? lookAgain : result;
}

/** What keeps the slot, in words. */
export function holderIn({ holder, refusal }: Cleared): string | undefined {
  if (holder === undefined) return undefined;
  return refusal === undefined
    ? holdersOf(holder)
    : `${holder.kind} ${holder.metadata.name} (which may not be deleted: ${refusal})`;
}

/** Entries of images that are gone, or of a predecessor of this name: nobody else would ever release them. */
export async function clearOrphans(pass: Pass): Promise<Result> {
  const { deps, key, signal } = pass;
  const current = deps.informers.images.store.get(key)?.metadata.uid;
  const [namespace = '', name = ''] = key.split('/');
  let result: Result = done;
  for (const [uid, entry] of deps.keeper.entriesOf(key)) {
    if (uid === current) continue;
    const live = await deps.eyes.image(namespace, name, signal);
    if (live?.metadata.uid === uid) continue;
    const cleared = await clearEntry(pass, { namespace, name, uid }, entry, false);
    if (cleared.afterMs !== undefined) result = cleared;
  }
  return result;
}

/** What a look at an attempt that is over leads to. */
export type Cleared = Result & {
  /** What has to be gone before its slot is free. */
  readonly holder?: KubeObject;
  /** The words of who refuses that it is deleted. */
  readonly refusal?: string;
};

/**
 * What the last look found: done when nothing of the attempt downloads any more and its slot is free. `hadVolume`: it is known to have got as far as
 * a DataVolume, so none can be on its way any more.
 *
 * Guarantees: a download that is complete stays. It takes no slot, and an artifact may have been cut from it since the caches were told.
 */
export async function clearEntry(
  pass: Pass,
  image: { readonly namespace: string; readonly name: string; readonly uid: string },
  entry: LedgerEntry,
  hadVolume: boolean,
): Promise<Cleared> {
  const { deps, hands, signal } = pass;
  const { keeper, eyes } = deps;
  const { namespace, uid } = image;
  const { attempt } = entry;
  if (entry.state === 'open') await keeper.change({ kind: 'close', uid, attempt });
  const volumeName = dataVolumeName({ ...image, attempt });
  const dataVolume: DataVolume | undefined = await eyes.dataVolume(namespace, volumeName, signal);
  const isOurs = dataVolume !== undefined && controllerUid(dataVolume) === uid;
  if (isOurs && !isImported(dataVolume)) {
    const isGoing = dataVolume.metadata.deletionTimestamp !== undefined;
    const words = isGoing ? undefined : await wordsIfRefused(() => hands.deleteDataVolume(dataVolume));
    if (words !== undefined) {
      pass.log.warn(
        { dataVolume: volumeName, words },
        'a DataVolume whose attempt is over may not be deleted, and keeps its slot',
      );
      return { ...after(refusedMs), holder: dataVolume, refusal: words };
    }
    // Its end wakes us; without a cache of the kind a look now and then has to do.
    return { ...after(deps.informers.dataVolumes.served === true ? patienceMs : 5000), holder: dataVolume };
  }
  const foreignClaim = dataVolume === undefined || isOurs ? undefined : await claimUidOf(eyes, dataVolume, signal);
  const importer = await eyes.importer(namespace, volumeName, signal, foreignClaim);
  if (importer !== undefined) return { ...after(patienceMs), holder: importer };
  const closedMs = keeper.closingForMs(uid);
  if (!hadVolume && !isOurs && closedMs < closingMs) return after(closingMs - closedMs);
  await keeper.change({ kind: 'release', uid, attempt });
  return done;
}

/** The claim a DataVolume has made. One of the same name may be left of an earlier DataVolume. */
async function claimUidOf(eyes: Eyes, { metadata }: DataVolume, signal: AbortSignal): Promise<string | undefined> {
  const claim = await eyes.claim(metadata.namespace ?? '', metadata.name ?? '', signal);
  return claim !== undefined && controllerUid(claim) === metadata.uid ? claim.metadata.uid : undefined;
}
