/** What the status of a set of images says about the spec it has now. */
import { type DataSync, DataSyncCondition, isUnseen } from '@terrain/api';
import { plain } from '../output/plain.ts';
import type { Verdict } from '../output/verdict.ts';

/**
 * Whether to go on waiting for a set.
 *
 * Guarantees: a set counts as given up only when none of its images goes on, so that its message names every one that failed.
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
