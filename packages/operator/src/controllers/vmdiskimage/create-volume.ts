/** The begin of an attempt, as effects. */
import { finalizers, type VMDiskImageStatus } from '@terrain/api';
import { after, controllerUid, type Result } from '@terrain/runtime';
import type { DataVolume } from '#platform/cdi.ts';
import type { Failure } from '#platform/failure.ts';
import { judgeRefusal, refusedFor } from '#platform/refusal.ts';
import { endOf } from './decide-end.ts';
import { desiredDataVolume, hashOf } from './desired.ts';
import { endAttempt } from './end-attempt.ts';
import { type Pass, saveStatus } from './pass.ts';
import type { Attempt, Outcome } from './record.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';
import { quietMs } from './status.ts';
import type { Decision } from './step.ts';

/** The policy that guards creates sees a ledger some milliseconds old, so its refusals are repeated, but not for ever. */
const slotTries = 20;
const longestSlotWaitMs = 500;

/**
 * Starts the download of an admitted attempt: finalizer, then the status that uses up the number, then the DataVolume.
 *
 * Guarantees: the DataVolume is created only right after the image was written or read in a state that names this attempt as running.
 */
export async function createVolume(pass: Pass, snapshot: Snapshot, decision: Decision, attempt: Attempt): Promise<Result> {
  const image = await tryAddFinalizer(pass, snapshot.image);
  if (!('metadata' in image)) {
    const over = endOf(snapshot, decision.record, attempt)({ kind: 'failed', failure: image });
    return endAttempt(pass, snapshot, over, over.step);
  }
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

/** The image with the finalizer without which nothing may be made for it, or why it may not have it: no reason to hold a slot. */
async function tryAddFinalizer({ hands }: Pass, image: StoredImage): Promise<StoredImage | Failure> {
  try {
    return await hands.addFinalizer(image, finalizers.pelotechCleanup);
  } catch (error) {
    const verdict = judgeRefusal(error);
    if (verdict === undefined || verdict === 'slot') throw error;
    // Nothing is wrong with the image or its source, so it is tried again whoever refuses.
    return { ...verdict, class: 'wait' };
  }
}

/** Whether the image itself, read live, says that this attempt runs. */
export async function isNamedAsRunning({ deps, signal }: Pass, { metadata }: StoredImage, attempt: Attempt): Promise<boolean> {
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
