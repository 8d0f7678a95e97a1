/** Deleting an image: its attempt is ended, then its snapshots, its volumes, its slot and its finalizers go, in this order. */
import { finalizers } from '@terrain/api';
import { after, done, type KubeObject, type Result } from '@terrain/runtime';
import { blockedWords, holdersOf, patienceMs } from '#controllers/shared/removal.ts';
import { isUnfinished } from '#platform/cdi.ts';
import { clearEntry } from './attempt.ts';
import type { Pass } from './pass.ts';
import { instantMs, type Snapshot } from './snapshot.ts';
import { statusOf } from './status.ts';
import type { Decision, Step } from './step.ts';

export async function removeImage(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { entry }: Extract<Step, { kind: 'remove' }>,
): Promise<Result> {
  const { deps, hands, signal } = pass;
  const { image } = snapshot;
  const { namespace, name, uid } = image.metadata;
  if (entry?.state === 'open') await deps.keeper.change({ kind: 'close', uid, attempt: entry.attempt });
  const left = await deps.eyes.childrenOf({ namespace, name, uid }, signal);
  // The cache is behind: its next event tells that a download runs whose slot cannot be given back.
  if (snapshot.slot.ledger === 'unreadable' && left.dataVolumes.some(isUnfinished)) return after(1000);
  for (const snapshotLeft of left.snapshots)
    if (snapshotLeft.metadata.deletionTimestamp === undefined) await hands.deleteSnapshot(snapshotLeft);
  // A snapshot that is still there may need its volume to be removed at all.
  if (left.snapshots.length === 0)
    for (const volume of left.dataVolumes)
      if (volume.metadata.deletionTimestamp === undefined) await hands.deleteDataVolume(volume);
  if (left.snapshots.length > 0 || left.dataVolumes.length > 0)
    return waitFor(pass, snapshot, decision, [...left.snapshots, ...left.dataVolumes]);
  if (entry !== undefined) {
    const { attempt } = image.status ?? {};
    const cleared = await clearEntry(
      pass,
      { namespace, name, uid },
      { ...entry, state: 'closing' },
      attempt?.number === entry.attempt && attempt.dataVolumeUID !== undefined,
    );
    if (cleared.afterMs !== undefined) return cleared;
  }
  deps.keeper.forget(uid);
  deps.memories.forget(uid);
  const unused = await hands.removeFinalizer(image, finalizers.imageInUse);
  if (unused !== undefined) await hands.removeFinalizer(unused, finalizers.pelotechCleanup);
  return done;
}

async function waitFor({ hands }: Pass, snapshot: Snapshot, decision: Decision, left: readonly KubeObject[]): Promise<Result> {
  const { image, nowMs } = snapshot;
  const sinceMs = instantMs(image.metadata.deletionTimestamp) ?? nowMs;
  const leftMs = sinceMs + patienceMs - nowMs;
  if (leftMs > 0) return after(leftMs);
  const message = blockedWords(left.map(holdersOf));
  const status = statusOf(snapshot, decision);
  const told = { ...status, message, conditions: (status.conditions ?? []).map((condition) => ({ ...condition, message })) };
  await hands.writeStatus(image, told);
  return after(patienceMs);
}
