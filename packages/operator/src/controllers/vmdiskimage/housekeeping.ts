/** Clearing away what is not needed any more. */

import type { DataVolume } from '#platform/cdi.ts';
import { EventReason } from './events.ts';
import { isGoing } from './facts.ts';
import { garbageOf } from './garbage.ts';
import type { Pass } from './pass.ts';
import { type ImageRecord, runningAttempt } from './record.ts';
import { prunableAtMs } from './references.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';

/** Deletes snapshots and volumes nobody names, each by its UID. `snapshot` holds the image as it was last written or read. */
export async function cleanUp(pass: Pass, snapshot: Snapshot, record: ImageRecord): Promise<void> {
  const { snapshots, dataVolumes, strays } = garbageOf(snapshot, record);
  const isLeft = snapshots.length > 0 || dataVolumes.length > 0;
  if (isLeft && (await isCurrent(pass, snapshot.image))) {
    for (const superfluous of snapshots) await pass.hands.deleteSnapshot(superfluous);
    for (const superfluous of dataVolumes) await pass.hands.deleteDataVolume(superfluous);
  }
  for (const stray of strays) await removeStray(pass, snapshot, stray);
}

/**
 * Whether the image is stored in the version that was judged. Where it is not, its status may name by now what the cached one does not, since a
 * rival has synced another source; the event of that version wakes us.
 */
async function isCurrent({ deps, signal }: Pass, { metadata }: StoredImage): Promise<boolean> {
  const live = await deps.eyes.image(metadata.namespace, metadata.name, signal);
  return live?.metadata.uid === metadata.uid && live.metadata.resourceVersion === metadata.resourceVersion;
}

/** A download nobody has a slot for. It may have got one since, or be somebody's: removed only when live reads agree. */
async function removeStray({ deps, hands, signal, log }: Pass, { image }: Snapshot, stray: DataVolume): Promise<void> {
  const { namespace, name, uid } = image.metadata;
  const live = await deps.eyes.dataVolume(namespace, stray.metadata.name ?? '', signal);
  if (live === undefined || live.metadata.uid !== stray.metadata.uid || live.metadata.deletionTimestamp !== undefined) return;
  // Read after the DataVolume, so what they say is newer than it.
  if ((await deps.eyes.entry(uid, signal)) !== undefined) return;
  const current = await deps.eyes.image(namespace, name, signal);
  if (current?.metadata.uid !== uid) return;
  const { attempt, artifact, retry } = current.status ?? {};
  const isRunning = attempt?.dataVolume === live.metadata.name && (retry?.lastAttempt ?? 0) < (attempt?.number ?? 0);
  if (isRunning || artifact?.dataVolume === live.metadata.name) return;
  log.warn({ dataVolume: live.metadata.name }, 'a download without a slot is removed');
  await hands.deleteDataVolume(live);
}

/** When the image is to be deleted because nobody uses it. Undefined: never, or not while it downloads, which wakes us when it is over. */
export function pruneAtMs(snapshot: Snapshot, record: ImageRecord): number | undefined {
  const { slot, image } = snapshot;
  const isBusy = slot.ledger !== 'readable' || slot.entry !== undefined || runningAttempt(record) !== undefined;
  return isBusy || isGoing(image) ? undefined : prunableAtMs(snapshot);
}

/** Deletes the image if nobody has used it for long enough. Machines are counted live, and the version read is the version deleted. */
export async function pruneIfDue({ deps, hands, key, signal }: Pass, snapshot: Snapshot, record: ImageRecord): Promise<boolean> {
  const { image, nowMs } = snapshot;
  if ((pruneAtMs(snapshot, record) ?? Number.POSITIVE_INFINITY) > nowMs) return false;
  if ((await deps.eyes.machinesOf(key, signal)).length > 0) return false;
  await hands.deleteImage(image);
  const since = image.status?.unreferencedSince;
  deps.record(image, {
    type: 'Normal',
    reason: EventReason.Pruned,
    note: `no virtual machine has referred to it since ${since}`,
  });
  return true;
}
