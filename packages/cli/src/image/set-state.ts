/** What the status of a set of images says about the spec it has now. */
import { type DataSync, DataSyncCondition, DataSyncReason, isUnseen, type VMDiskImage } from '@terrain/api';
import { plain } from '../output/plain.ts';
import type { Verdict } from '../output/verdict.ts';
import { judge } from './state.ts';

/**
 * Whether to go on waiting for a set, by what its status says.
 *
 * Guarantees: a set counts as given up only when none of its images goes on, so that its message names every one that failed.
 * Caveats: the status follows the images a moment later; `outlivedFailures` tells what it says too much.
 */
export function judgeSet({ metadata, status }: DataSync): Verdict {
  if (metadata.deletionTimestamp !== undefined) return { kind: 'gaveUp', message: 'it is being deleted' };
  if (status === undefined || isUnseen({ status })) return { kind: 'waiting', message: 'the operator has not seen it yet' };
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return { kind: 'waiting', message: 'the operator has not seen its latest change yet' };
  const isTrue = (type: string): boolean =>
    status.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
  if (isTrue(DataSyncCondition.Ready)) return { kind: 'ready' };
  const { total = 0, queued = 0, syncing = 0, succeeded = 0 } = status.counts ?? {};
  const message = plain(status.message ?? '');
  if (isTrue(DataSyncCondition.Stalled) && queued + syncing === 0)
    return { kind: 'gaveUp', message: message || 'it was given up' };
  return { kind: 'waiting', message: `${succeeded} of ${total} ready, ${syncing} downloading, ${queued} waiting` };
}

/**
 * Images the status of a set calls given up, and that have had another try since, or are asked to.
 *
 * None where something about the set itself is wrong, or it is being deleted: no image changes that. Expects all images that belong to the set.
 */
export function outlivedFailures({ metadata, status }: DataSync, images: readonly VMDiskImage[]): string[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  const isForImages = status?.conditions?.some(
    ({ type, reason }) => type === DataSyncCondition.Stalled && reason === DataSyncReason.ImagesFailed,
  );
  if (isForImages !== true) return [];
  const byName = new Map(images.map((image) => [image.metadata.name, image]));
  return (status?.images ?? [])
    .filter(({ phase, vmDiskImage }) => phase === 'Failed' && !isGivenUpNow(byName.get(vmDiskImage)))
    .map(({ vmDiskImage }) => vmDiskImage);
}

/** One that is deleted is made again: for its set it only begins anew. */
export const isGivenUpNow = (image: VMDiskImage | undefined): boolean =>
  image !== undefined && image.metadata.deletionTimestamp === undefined && judge(image).kind === 'gaveUp';
