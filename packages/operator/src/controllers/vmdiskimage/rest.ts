/** Steps in which nothing is done but saying why. */
import { isUnseen, sourceHash, type VMDiskImageReason } from '@terrain/api';
import { patienceMs } from '#controllers/shared/removal.ts';
import { shorten } from '#platform/failure.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { parseTicket } from '#queue/order.ts';
import { nextAttempt } from './facts.ts';
import { isUnchecked } from './preflight.ts';
import { type ImageRecord, isBraked, isDeferred } from './record.ts';
import { instantMs, keyOfImage, type Snapshot } from './snapshot.ts';
import type { Step } from './step.ts';

export const pausedStep: Step = {
  kind: 'wait',
  reason: 'Paused',
  message: 'paused by the annotation pelotech.ot/paused: nothing is created, changed or deleted until it is removed',
};

/** A pause does not stop the clock: a download that hangs gives its slot to others all the same. */
export const pausedDownloadStep = (afterMs: number): Step => ({
  kind: 'wait',
  reason: 'Paused',
  message:
    'paused by the annotation pelotech.ot/paused: the download that runs goes on until its end or its deadline, and nothing else is created, changed or deleted until the annotation is removed',
  afterMs,
});

export function queueStep(snapshot: Snapshot, record: ImageRecord): Step {
  const { image, policy } = snapshot;
  const { uid, namespace } = image.metadata;
  return {
    kind: 'queue',
    isPolicyPaused: policy.concurrency === 0,
    waiting: {
      uid,
      namespace,
      key: keyOfImage(image),
      queuedAtMs: instantMs(record.queuedAt) ?? 0,
      ticket: parseTicket(record.ticket),
      attempt: nextAttempt(snapshot, record),
      isSettled: !isUnchecked(snapshot),
    },
  };
}

export function backoffStep({ retry }: ImageRecord, afterMs: number): Step {
  const { failures = 0, lastReason = '', lastMessage = '', nextRetryAt = '' } = retry;
  const wait = (reason: VMDiskImageReason, message: string): Step => ({ kind: 'wait', reason, message, afterMs });
  if (isDeferred(retry)) return wait(lastReason as VMDiskImageReason, `${lastMessage}; tried again at ${nextRetryAt}`);
  if (isBraked(retry))
    return wait('RetryBackoff', `the source changes faster than it can be downloaded; queued again at ${nextRetryAt}`);
  const times = failures === 1 ? 'once' : `${failures} times`;
  return wait('RetryBackoff', `failed ${times}, last with ${lastReason}: ${lastMessage}; queued again at ${nextRetryAt}`);
}

/** What is told while a snapshot is waited for. */
export function cuttingWords({ metadata, status }: VolumeSnapshot): string {
  const { message = 'no reason is given' } = status?.error ?? {};
  const doubt = status?.error === undefined ? '' : `, which has an error that may pass: ${shorten(message)}`;
  return `cuts VolumeSnapshot ${metadata.name}${doubt}`;
}

/** People who wait for a free slot, or for the next attempt, have to know what keeps this one. */
export function slotNote({ memory, nowMs }: Snapshot, attempt: number): string {
  const { slotHolder } = memory;
  if (slotHolder?.attempt !== attempt || nowMs - slotHolder.sinceMs < patienceMs) return '';
  return `; the slot of its last attempt stays taken until ${slotHolder.what} is gone: look at what holds it`;
}

const again = 'set the annotation pelotech.ot/retry to a new value to try again';
/** What helps, by what was given up for. A changed source is tried by itself. */
const waysOut: Partial<Record<VMDiskImageReason, string>> = {
  SourceNotFound: `correct spec.url, or put the file there and ${again}`,
  SourceForbidden: `correct spec.url or the Secret of spec.secretRef, and ${again}`,
  NotAnImage: `let spec.url lead to a disk image, or replace the file and ${again}`,
  ChecksumMismatch: `correct spec.checksum or spec.url, or replace the file and ${again}`,
  DiskTooSmall: 'raise spec.diskSize, and it is downloaded again by itself',
  SnapshotFailed: `look at the snapshot class and its driver, then ${again}: no download is needed`,
};
const wayOut = `change the source, or ${again}`;

export function failedStep({ retry }: ImageRecord): Step {
  const { gaveUp, failures = 0, lastReason, lastMessage } = retry;
  const reason = (gaveUp?.reason ?? 'RetryLimitReached') as VMDiskImageReason;
  const failed = (message: string): Step => ({ kind: 'failed', reason, message });
  if (reason === 'Cancelled')
    return failed(
      'cancelled by the annotation pelotech.ot/cancel; remove it and set pelotech.ot/retry to a new value to download after all',
    );
  if (reason === 'RetryLimitReached')
    return failed(
      `given up after ${failures} failed ${failures === 1 ? 'attempt' : 'attempts'}, the last with ${lastReason}: ${lastMessage}; ${wayOut}`,
    );
  return failed(`given up: ${lastMessage ?? reason}; ${waysOut[reason] ?? wayOut}`);
}

/** So long an image is new. Creation times have whole seconds. */
export const newMs = 3000;

/** Whether an image was just made, and nobody has been told anything about it. */
export const isNew = ({ image, nowMs }: Snapshot): boolean =>
  isUnseen(image) && nowMs - (instantMs(image.metadata.creationTimestamp) ?? 0) < newMs;

/** Whether the artifact, if any, is of another source than the spec's. */
export const hasOlderArtifact = ({ image }: Snapshot, { artifact }: ImageRecord): boolean =>
  artifact !== undefined && artifact.sourceHash !== sourceHash(image.spec);
