/** The life and the end of an attempt, as effects. */
import { dataVolumeName, finalizers, type LedgerEntry, type VMDiskImageStatus } from '@terrain/api';
import { after, controllerUid, done, type KubeObject, type Result } from '@terrain/runtime';
import { holdersOf, patienceMs } from '#controllers/shared/removal.ts';
import { type DataVolume, isImported, isUnfinished } from '#platform/cdi.ts';
import { judgeRefusal, refusedFor } from '#platform/refusal.ts';
import { endOf } from './decide-end.ts';
import { desiredDataVolume, hashOf } from './desired.ts';
import type { Eyes } from './hands.ts';
import { cleanUp } from './housekeeping.ts';
import { type Pass, saveStatus } from './pass.ts';
import type { Attempt, Outcome } from './record.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';
import { quietMs } from './status.ts';
import type { Decision, Step } from './step.ts';

/** How long an entry that never got a DataVolume stays closing: a create that was on its way when it closed shows up in that time. */
const closingMs = 5000;
/** The policy that guards creates sees a ledger some milliseconds old, so its refusals are repeated, but not for ever. */
const slotTries = 20;
const longestSlotWaitMs = 500;
/** A slot that is given back wakes nobody who only rests; yet such an image may have a time to be removed at, which this pass did not look at. */
const lookAgain = after(0);

/**
 * Starts the download of an admitted attempt: finalizer, then the status that uses up the number, then the DataVolume.
 *
 * Guarantees: the DataVolume is created only right after the image was written or read in a state that names this attempt as running.
 */
export async function createVolume(pass: Pass, snapshot: Snapshot, decision: Decision, attempt: Attempt): Promise<Result> {
  const image = await pass.hands.addFinalizer(snapshot.image, finalizers.pelotechCleanup);
  const current: Snapshot = { ...snapshot, image };
  const { image: saved } = await saveStatus(pass, current, decision, { isUrgent: true });
  // Nothing was written in this pass, so the cache may be old.
  const isUnwritten = saved.metadata.resourceVersion === snapshot.image.metadata.resourceVersion;
  if (isUnwritten && !((await isNamedAsRunning(pass, saved, attempt)) && (await hasOpenEntry(pass, saved, attempt))))
    return after(1000);
  const outcome = await tryCreate(pass, saved, attempt);
  if (outcome !== undefined) {
    const now: Snapshot = { ...current, image: saved };
    const over = endOf(now, decision.record, attempt)(outcome);
    return endAttempt(pass, now, over, over.step);
  }
  return after(quietMs);
}

/** Whether the image itself, read live, says that this attempt runs. */
async function isNamedAsRunning({ deps, signal }: Pass, { metadata }: StoredImage, attempt: Attempt): Promise<boolean> {
  const live = await deps.eyes.image(metadata.namespace, metadata.name, signal);
  const status: VMDiskImageStatus = live?.status ?? {};
  return (
    live?.metadata.uid === metadata.uid &&
    live.metadata.deletionTimestamp === undefined &&
    status.attempt?.number === attempt.number &&
    (status.retry?.lastAttempt ?? 0) < attempt.number
  );
}

/** Whether the stored ledger, read live, lets this attempt download. */
async function hasOpenEntry({ deps, signal }: Pass, { metadata }: StoredImage, { number }: Attempt): Promise<boolean> {
  const entry = await deps.eyes.entry(metadata.uid, signal);
  return entry !== 'unreadable' && entry?.attempt === number && entry.state === 'open';
}

/** Undefined when the DataVolume is there; otherwise how the attempt ended. */
async function tryCreate(pass: Pass, image: StoredImage, attempt: Attempt): Promise<Outcome | undefined> {
  const { deps, hands, signal } = pass;
  const manifest = desiredDataVolume(image, attempt);
  const { uid } = image.metadata;
  for (let attempts = 1; ; attempts++) {
    const entry = deps.keeper.entryOf(uid);
    if (entry?.attempt !== attempt.number || entry.state !== 'open')
      return withdrawn('the slot was taken back before the download began');
    let dataVolume: DataVolume | undefined;
    try {
      dataVolume = await hands.createDataVolume(manifest);
    } catch (error) {
      const verdict = judgeRefusal(error);
      if (verdict === undefined || (verdict === 'slot' && attempts >= slotTries)) throw error;
      if (verdict === 'slot') {
        await deps.sleep(Math.min(2 ** attempts * 5, longestSlotWaitMs), signal);
        continue;
      }
      dataVolume = await createdBefore(pass, image, attempt, manifest);
      if (dataVolume === undefined) return { kind: 'failed', failure: verdict };
    }
    if (hashOf(dataVolume) !== attempt.sourceHash)
      return refused(`DataVolume ${dataVolume.metadata.name} exists already, with another source`);
    deps.memories.see(uid, attempt, dataVolume, deps.serverNow());
    return undefined;
  }
}

/** Quotas and webhooks are asked before the API server looks whether the object exists: the answer to an earlier create may have been lost. */
async function createdBefore(
  { deps, signal }: Pass,
  { metadata }: StoredImage,
  { sourceHash }: Attempt,
  manifest: DataVolume,
): Promise<DataVolume | undefined> {
  const live = await deps.eyes.dataVolume(metadata.namespace, manifest.metadata.name ?? '', signal);
  return live !== undefined && controllerUid(live) === metadata.uid && hashOf(live) === sourceHash ? live : undefined;
}

const withdrawn = (message: string): Outcome => ({ kind: 'withdrawn', reason: 'Interrupted', message });
const refused = (message: string): Outcome => ({ kind: 'failed', failure: refusedFor(message) });

/** The outcome is stored first: from then on nobody goes on with this attempt, whoever crashes next. */
export async function endAttempt(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { attempt, isGone }: Extract<Step, { kind: 'end' }>,
): Promise<Result> {
  const { deps, signal } = pass;
  const { namespace, name, uid } = snapshot.image.metadata;
  if (isGone) {
    const live = await deps.eyes.dataVolume(namespace, dataVolumeName({ name, uid, attempt: attempt.number }), signal);
    // The cache is behind: its next event wakes us.
    if (live !== undefined && controllerUid(live) === uid) return after(1000);
  }
  // Without a slot, says the cache. A rival may have given it one just now, and be about to create the DataVolume.
  if (!hasEntry(snapshot) && (await deps.eyes.entry(uid, signal)) !== undefined) return after(1000);
  await saveStatus(pass, snapshot, decision);
  deps.memories.forget(uid);
  return after(0);
}

const hasEntry = ({ slot }: Snapshot): boolean => slot.ledger === 'readable' && slot.entry !== undefined;

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
  const holder = result.holder === undefined ? undefined : holdersOf(result.holder);
  deps.memories.slotHeldBy(uid, entry.attempt, holder, snapshot.nowMs);
  await cleanUp(pass, { ...snapshot, image }, decision.record);
  return result.afterMs === undefined ? lookAgain : result;
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
};

/**
 * What the last look found: done when nothing of the attempt downloads any more and its slot is free. `hadVolume`: it is known to have got as far as
 * a DataVolume, so none can be on its way any more.
 *
 * Guarantees: a download that is complete stays. It takes no slot, and an artifact may have been cut from it since the caches were told.
 */
export async function clearEntry(
  { deps, hands, signal }: Pass,
  image: { readonly namespace: string; readonly name: string; readonly uid: string },
  entry: LedgerEntry,
  hadVolume: boolean,
): Promise<Cleared> {
  const { keeper, eyes } = deps;
  const { namespace, uid } = image;
  const { attempt } = entry;
  if (entry.state === 'open') await keeper.change({ kind: 'close', uid, attempt });
  const volumeName = dataVolumeName({ ...image, attempt });
  const dataVolume: DataVolume | undefined = await eyes.dataVolume(namespace, volumeName, signal);
  const isOurs = dataVolume !== undefined && controllerUid(dataVolume) === uid;
  if (isOurs && !isImported(dataVolume)) {
    if (dataVolume.metadata.deletionTimestamp === undefined) await hands.deleteDataVolume(dataVolume);
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

/** A download runs that the ledger does not know of: it gets its entry back, if live reads say the same. */
export async function adoptImport(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { attempt, dataVolume }: Extract<Step, { kind: 'adopt' }>,
): Promise<Result> {
  const { eyes, keeper } = pass.deps;
  const { namespace, name, uid } = snapshot.image.metadata;
  const live = await eyes.dataVolume(namespace, dataVolume.metadata.name ?? '', pass.signal);
  const isRunning = live !== undefined && live.metadata.uid === dataVolume.metadata.uid && isUnfinished(live);
  if (!isRunning || !(await isNamedAsRunning(pass, snapshot.image, attempt))) return after(1000);
  if ((await eyes.entry(uid, pass.signal)) === undefined)
    await keeper.change({ kind: 'adopt', uid, image: `${namespace}/${name}`, attempt: attempt.number, state: 'open' });
  await saveStatus(pass, snapshot, decision);
  return after(1000);
}
