/** Plain facts about what was observed, on which several decisions rest. */
import { annotations, dataVolumeName, sourceHash } from '@terrain/api';
import type { ObjectMeta } from '@terrain/runtime';
import { type DataVolume, isImported } from '#platform/cdi.ts';
import type { Claim } from '#platform/core.ts';
import { attemptOf, hashOf } from './desired.ts';
import type { Attempt, ImageRecord } from './record.ts';
import type { Snapshot } from './snapshot.ts';

/** A namespace on its way out is not held up by a pause. */
export const isPaused = ({ image, namespace }: Snapshot): boolean =>
  image.metadata.annotations?.[annotations.paused] === 'true' && !namespace.isTerminating;

export const isCancelled = ({ image }: Snapshot): boolean => (image.metadata.annotations?.[annotations.cancel] ?? '') !== '';

export const isGoing = ({ metadata }: { readonly metadata: ObjectMeta }): boolean => metadata.deletionTimestamp !== undefined;

/** A claim that holds all data and can be cut. */
export const isBound = (claim: Claim | undefined): claim is Claim => claim?.status?.phase === 'Bound' && !isGoing(claim);

/** Whether all data of a DataVolume lies in a claim a snapshot can be cut from. CDI says Succeeded a moment before the claim is Bound. */
export const isComplete = ({ claims }: Snapshot, dataVolume: DataVolume): boolean =>
  isImported(dataVolume) && !isGoing(dataVolume) && isBound(claims.get(dataVolume.metadata.name ?? ''));

/** The newest complete download of a source. */
export function completeVolume(snapshot: Snapshot, hash: string): DataVolume | undefined {
  return snapshot.dataVolumes
    .filter((dataVolume) => hashOf(dataVolume) === hash && isComplete(snapshot, dataVolume))
    .sort((a, b) => attemptOf(b) - attemptOf(a))[0];
}

/** The DataVolume of an attempt. One with another source is never taken for it. */
export function volumeOf({ image, dataVolumes }: Snapshot, attempt: Attempt): DataVolume | undefined {
  const { name, uid } = image.metadata;
  const volumeName = dataVolumeName({ name, uid, attempt: attempt.number });
  return dataVolumes.find((volume) => volume.metadata.name === volumeName && hashOf(volume) === attempt.sourceHash);
}

/** Whether a download is still of use after its attempt: it is the artifact's, or only a snapshot of it is missing. */
export function isWorthKeeping(snapshot: Snapshot, record: ImageRecord, dataVolume: DataVolume): boolean {
  if (dataVolume.metadata.name === record.artifact?.dataVolume) return true;
  const hash = sourceHash(snapshot.image.spec);
  return isComplete(snapshot, dataVolume) && hashOf(dataVolume) === hash && record.artifact?.sourceHash !== hash;
}

/** Numbers never restart in the life of an image, whatever became of its status. */
export function nextAttempt({ dataVolumes }: Snapshot, record: ImageRecord): number {
  return 1 + Math.max(record.attempt?.number ?? 0, record.retry.lastAttempt ?? 0, ...dataVolumes.map(attemptOf));
}
