/** What the status of a disk image says about the spec it has now, as opposed to one it had before. */
import {
  annotations,
  type Condition,
  isUnseen,
  labelValue,
  sourceHash,
  type VMDiskImage,
  VMDiskImageCondition,
} from '@terrain/api';
import { plain } from '../output/plain.ts';
import type { Verdict } from '../output/verdict.ts';

const longestToken = 253;

/** `namespace/name`. */
export const keyOf = ({ metadata }: VMDiskImage): string => `${metadata.namespace}/${metadata.name}`;

/** Whether there is a snapshot of the source the spec names, as far as the status knows. */
export const hasArtifact = ({ spec, status }: VMDiskImage): boolean => status?.artifact?.sourceHash === sourceHash(spec);

/** Whether the image was given up, and neither its source was changed nor another try asked for since. */
export function isGivenUp({ spec, status, metadata }: VMDiskImage): boolean {
  const { gaveUp, sourceHash: givenUpHash, token } = status?.retry ?? {};
  const asked = metadata.annotations?.[annotations.retry] ?? '';
  // The status keeps a hash of a value that is too long for it.
  const isAnswered = asked === '' || token === asked || (asked.length > longestToken && token === labelValue(asked));
  return gaveUp !== undefined && isAnswered && (givenUpHash === undefined || givenUpHash === sourceHash(spec));
}

/**
 * Whether to go on waiting for an image.
 *
 * Guarantees: neither an artifact of a former source nor a failure that was answered with another try counts.
 */
export function judge(image: VMDiskImage): Verdict {
  const { metadata, status } = image;
  const message = plain(status?.message ?? '');
  const waiting = (words: string): Verdict => ({ kind: 'waiting', message: words });
  if (metadata.deletionTimestamp !== undefined) return { kind: 'gaveUp', message: 'it is being deleted' };
  if (status === undefined || isUnseen(image)) return waiting('the operator has not seen it yet');
  const ready = conditionOf(image, VMDiskImageCondition.Ready);
  const isCurrent = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (isCurrent && ready?.status === 'True' && hasArtifact(image)) return { kind: 'ready' };
  if (isCurrent && isGivenUp(image)) return { kind: 'gaveUp', message: message || 'it was given up' };
  if (!isCurrent || status.retry?.gaveUp !== undefined) return waiting('the operator has not seen its latest change yet');
  const former = status.artifact !== undefined && !hasArtifact(image) ? 'its snapshot is of a former source; ' : '';
  // What the operator says of a snapshot that can be cloned is about the former one too.
  if (former !== '' && ready?.status === 'True') return waiting(`${former}waits for the operator to begin with the new one`);
  const progress = status.phase === 'Syncing' && status.progress !== undefined ? `, ${status.progress}` : '';
  return waiting(`${former}${message || status.phase || 'no word from the operator'}${progress}`);
}

export function conditionOf({ status }: VMDiskImage, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
