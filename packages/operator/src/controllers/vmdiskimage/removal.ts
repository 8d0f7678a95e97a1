/** Deleting an image: its attempt is ended and its slot given back, then its snapshots, its volumes and its finalizers go. */
import { finalizers, type LedgerEntry } from '@terrain/api';
import { after, done, type KubeObject, type Result } from '@terrain/runtime';
import { blockedWords, holdersOf, isGoing, patienceMs } from '#controllers/shared/removal.ts';
import { isUnfinished } from '#platform/cdi.ts';
import { refusedMs, wordsIfRefused } from '#platform/refusal.ts';
import { type Cleared, clearEntry, holderIn } from './clear-entry.ts';
import type { Eyes } from './hands.ts';
import { type Pass, saveStatus } from './pass.ts';
import { unprotect } from './protection.ts';
import { instantMs, type Snapshot } from './snapshot.ts';
import { statusOf } from './status.ts';
import type { Decision, Step } from './step.ts';

type Children = Awaited<ReturnType<Eyes['childrenOf']>>;

export async function removeImage(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { entry }: Extract<Step, { kind: 'remove' }>,
): Promise<Result> {
  const { deps, hands, signal } = pass;
  const { image } = snapshot;
  const { namespace, name, uid } = image.metadata;
  // Before anything is waited for: a snapshot may hang on its driver for ever, and takes no slot.
  const cleared: Cleared = entry === undefined ? done : await giveSlotBack(pass, snapshot, entry);
  const left = await deps.eyes.childrenOf({ namespace, name, uid }, signal);
  // The cache is behind: its next event tells that a download runs whose slot cannot be given back.
  if (snapshot.slot.ledger === 'unreadable' && left.dataVolumes.some(isUnfinished)) return after(1000);
  const refusals = await deleteChildren(pass, left);
  if (refusals.length > 0) {
    const words = `is being deleted, but ${refusals.join(', and ')}; let the operator delete it, and this goes on by itself within a minute`;
    await tellInstead(pass, snapshot, decision, words);
    return after(refusedMs);
  }
  const { holder } = cleared;
  const isListed = left.dataVolumes.some(({ metadata }) => metadata.uid === holder?.metadata.uid);
  const remaining = [...left.snapshots, ...left.dataVolumes, ...(holder === undefined || isListed ? [] : [holder])];
  if (remaining.length > 0) {
    const waitMs = await tellBlockers(pass, snapshot, decision, remaining);
    return after(Math.min(waitMs, cleared.afterMs ?? waitMs));
  }
  if (cleared.afterMs !== undefined) return cleared;
  deps.keeper.forget(uid);
  deps.memories.forget(uid);
  const { image: unprotected, refusal } = await unprotect(pass, snapshot, image);
  if (refusal !== undefined) {
    await tellInstead(pass, snapshot, decision, refusal);
    return after(refusedMs);
  }
  await hands.removeFinalizer(unprotected, finalizers.pelotechCleanup);
  return done;
}

/** Answers with a sentence for each that may not be deleted; the others go all the same. */
async function deleteChildren({ hands }: Pass, { snapshots, dataVolumes }: Children): Promise<string[]> {
  const refusals: string[] = [];
  const tryDelete = async ({ kind, metadata }: KubeObject, work: () => Promise<void>): Promise<void> => {
    const words = await wordsIfRefused(work);
    if (words !== undefined) refusals.push(`${kind} ${metadata.name} may not be: ${words}`);
  };
  for (const snapshot of snapshots) if (!isGoing(snapshot)) await tryDelete(snapshot, () => hands.deleteSnapshot(snapshot));
  // A snapshot that is still there may need its volume to be removed at all.
  const needed = new Set(snapshots.map(({ spec }) => spec.source.persistentVolumeClaimName));
  for (const volume of dataVolumes)
    if (!isGoing(volume) && !needed.has(volume.metadata.name)) await tryDelete(volume, () => hands.deleteDataVolume(volume));
  return refusals;
}

/** Machines refer to it: it stays, with what they were cloned from. A download that nobody will ever clone ends, and leaves its slot to others. */
export async function keepImage(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { entry }: Extract<Step, { kind: 'inUse' }>,
): Promise<Result> {
  await saveStatus(pass, snapshot, decision);
  if (entry === undefined) return done;
  const cleared = await giveSlotBack(pass, snapshot, entry);
  pass.deps.memories.slotHeldBy(snapshot.image.metadata.uid, entry.attempt, holderIn(cleared), snapshot.nowMs);
  return cleared;
}

/** Ends the download that holds the slot, if it still runs. One that is complete takes no slot, and may be needed where it is. */
function giveSlotBack(pass: Pass, { image }: Snapshot, entry: LedgerEntry): Promise<Cleared> {
  const { namespace, name, uid } = image.metadata;
  const { attempt } = image.status ?? {};
  const hadVolume = attempt?.number === entry.attempt && attempt.dataVolumeUID !== undefined;
  return clearEntry(pass, { namespace, name, uid }, entry, hadVolume);
}

/** Says what holds up the deletion, once it has for long. Answers after how many milliseconds to look again. */
async function tellBlockers(pass: Pass, snapshot: Snapshot, decision: Decision, left: readonly KubeObject[]): Promise<number> {
  const { image, nowMs } = snapshot;
  const sinceMs = instantMs(image.metadata.deletionTimestamp) ?? nowMs;
  const leftMs = sinceMs + patienceMs - nowMs;
  if (leftMs > 0) return leftMs;
  await tellInstead(pass, snapshot, decision, blockedWords(left.map(holdersOf)));
  return patienceMs;
}

/** Says this wherever the status would say that it is being deleted. */
async function tellInstead({ hands }: Pass, snapshot: Snapshot, decision: Decision, message: string): Promise<void> {
  const status = statusOf(snapshot, decision);
  const told = { ...status, message, conditions: (status.conditions ?? []).map((condition) => ({ ...condition, message })) };
  await hands.writeStatus(snapshot.image, told);
}
