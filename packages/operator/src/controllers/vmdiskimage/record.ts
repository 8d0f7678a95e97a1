/**
 * What must survive a restart, and how it changes: the part of an image's status that decisions read.
 *
 * Conditions, phase and message are made from it for people and never read back.
 */
import {
  annotations,
  dataVolumeName,
  type LedgerEntry,
  labelValue,
  sourceHash,
  type VMDiskImageReason,
  type VMDiskImageStatus,
} from '@terrain/api';
import type { Failure } from '#platform/failure.ts';
import type { Policy } from '#policy/policy.ts';
import { instantMs, type Snapshot, type StoredImage, toInstant } from './snapshot.ts';

type Status = VMDiskImageStatus;
export type Attempt = NonNullable<Status['attempt']>;
type Retry = NonNullable<Status['retry']>;
export type Artifact = NonNullable<Status['artifact']>;
type HistoryEntry = NonNullable<Status['history']>[number];

export type ImageRecord = {
  readonly queuedAt: string;
  readonly ticket: string;
  readonly attempt: Attempt | undefined;
  readonly retry: Retry;
  readonly artifact: Artifact | undefined;
  readonly history: readonly HistoryEntry[];
};

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'sourceChanged' }
  /** It could not go on through no fault of its own: nothing is counted, and the image keeps its place. */
  | { readonly kind: 'withdrawn'; readonly reason: VMDiskImageReason | 'Interrupted'; readonly message: string };

/** Results in the history that are no reasons of a condition. */
const sourceChangedResult = 'SourceChanged';

const longestHistory = 10;
const longestToken = 253;

/**
 * The record as it is at this moment, before anything is done: a source seen for the first time and a new wish to retry are noted.
 */
export function currentRecord({ image, nowMs }: Snapshot): ImageRecord {
  const { status = {}, metadata } = image;
  const hash = sourceHash(image.spec);
  const known = status.retry ?? {};
  const { sourceHash: knownHash, lastAttempt, token: knownToken } = known;
  const asked = retryToken(image);
  const isNewSource = knownHash !== hash;
  const isRetryAsked = asked !== undefined && asked !== knownToken;
  const token = asked ?? knownToken;
  const fresh: Retry = {
    sourceHash: hash,
    ...(lastAttempt === undefined ? {} : { lastAttempt }),
    ...(token === undefined ? {} : { token }),
  };
  const nextRetryAt = !isRetryAsked && isBraked(known) && isHeldBack(known, nowMs) ? known.nextRetryAt : undefined;
  const isAnew = isNewSource ? knownHash !== undefined : isRetryAsked && isHeldBack(known, nowMs);
  const queuedAt = isAnew ? (nextRetryAt ?? toInstant(nowMs)) : (status.queuedAt ?? metadata.creationTimestamp);
  return {
    queuedAt,
    ticket: status.ticket ?? metadata.resourceVersion,
    attempt: status.attempt,
    retry: isNewSource || isRetryAsked ? { ...fresh, ...(nextRetryAt === undefined ? {} : { nextRetryAt }) } : known,
    artifact: status.artifact,
    history: status.history ?? [],
  };
}

/** Whether the record keeps the image from being queued. */
export function isHeldBack(retry: Retry, nowMs: number): boolean {
  return retry.gaveUp !== undefined || (instantMs(retry.nextRetryAt) ?? 0) > nowMs;
}

/** Reasons for which an attempt gave its slot back without having failed. */
const waitReasons: ReadonlySet<string> = new Set<VMDiskImageReason>(['QuotaExceeded', 'RefusedByPlatform', 'PlatformMissing']);

/** Whether the last attempt ended because the platform had no room for it. */
export const isDeferred = ({ lastReason = '' }: Retry): boolean => waitReasons.has(lastReason);

/**
 * Whether the backoff, if there is one, is that of a source that changes faster than it can be downloaded. It outlives further changes; that of a
 * failure ends with the source that failed.
 */
export const isBraked = (retry: Retry): boolean =>
  (retry.failures ?? 0) === 0 && retry.gaveUp === undefined && !isDeferred(retry);

/** The value of the retry annotation that counts; a value too long for the status is told by its hash. */
function retryToken({ metadata }: StoredImage): string | undefined {
  const value = metadata.annotations?.[annotations.retry];
  if (value === undefined || value === '') return undefined;
  return value.length <= longestToken ? value : labelValue(value);
}

/** Whether the outcome of an attempt has been counted. */
export const hasEnded = (record: ImageRecord, attempt: number): boolean => (record.retry.lastAttempt ?? 0) >= attempt;

/** The attempt that is under way according to the record. */
export function runningAttempt(record: ImageRecord): Attempt | undefined {
  return record.attempt !== undefined && !hasEnded(record, record.attempt.number) ? record.attempt : undefined;
}

/** The attempt an entry stands for, as it begins: once the status says so, its number is used up. */
export function begun(image: StoredImage, entry: LedgerEntry): Attempt {
  const { name, uid } = image.metadata;
  return {
    number: entry.attempt,
    sourceHash: sourceHash(image.spec),
    startedAt: entry.since,
    dataVolume: dataVolumeName({ name, uid, attempt: entry.attempt }),
  };
}

/** The record after an attempt ended, counted once. */
export function ended(record: ImageRecord, attempt: Attempt, outcome: Outcome, { image, policy, nowMs }: Snapshot): ImageRecord {
  const now = toInstant(nowMs);
  const counted: Retry = { ...record.retry, lastAttempt: attempt.number };
  const after: ImageRecord = {
    ...record,
    attempt,
    retry: counted,
    history: withHistory(record.history, image, attempt, resultOf(outcome), now),
  };
  switch (outcome.kind) {
    case 'withdrawn':
      return after;
    case 'cancelled':
      return givenUp(after, 'Cancelled', nowMs);
    case 'sourceChanged':
      return backInQueue(after, afterChangeMs(record.history, policy, nowMs), nowMs);
    case 'failed': {
      const { failure } = outcome;
      const told = noted(after, failure);
      if (failure.class === 'wait') return backInQueue(told, nowMs + deferralMs(policy), nowMs);
      const failures = (counted.failures ?? 0) + 1;
      const failed: ImageRecord = { ...told, retry: { ...told.retry, failures, lastFailureTime: now } };
      if (failure.class === 'permanent') return givenUp(failed, failure.reason, nowMs);
      if (failures > policy.retryLimit) return givenUp(failed, 'RetryLimitReached', nowMs);
      return backInQueue(failed, nowMs + backoffMs(policy, failures, `${image.metadata.uid}/${attempt.number}`), nowMs);
    }
  }
}

/** A failure that was seen, whether or not it ended the attempt: CDI takes the words back when the importer starts again. */
export function noted(record: ImageRecord, failure: Failure): ImageRecord {
  return { ...record, retry: { ...record.retry, lastReason: failure.reason, lastMessage: failure.message } };
}

/** No further attempt until the source or the retry annotation changes. */
export function givenUp(record: ImageRecord, reason: VMDiskImageReason, nowMs: number): ImageRecord {
  const { nextRetryAt: _, ...retry } = record.retry;
  return { ...record, retry: { ...retry, gaveUp: { at: toInstant(nowMs), reason } } };
}

/** What the platform would not take, through no fault of the image: tried again after a while, and nothing is counted. */
export function deferred(record: ImageRecord, failure: Failure, { policy, nowMs }: Snapshot): ImageRecord {
  const told = noted(record, failure);
  return { ...told, retry: { ...told.retry, nextRetryAt: toInstant(nowMs + deferralMs(policy)) } };
}

/** Nothing tells when the platform has room again, and no limit ends the asking: a policy without backoff must not make that an endless round. */
const leastDeferralMs = 10_000;

/** How long to wait before the platform is asked again for what it would not take. */
export const deferralMs = ({ retryBackoffDuration }: Policy): number => Math.max(leastDeferralMs, retryBackoffDuration);

/** The record once there is nothing left to put off. */
export function notDeferred(record: ImageRecord): ImageRecord {
  if (!isDeferred(record.retry) || record.retry.gaveUp !== undefined) return record;
  const { nextRetryAt: _at, lastReason: _reason, lastMessage: _message, ...retry } = record.retry;
  return { ...record, retry };
}

/** The download is complete and its snapshot can be cloned. */
export function succeeded(
  record: ImageRecord,
  artifact: Artifact,
  attempt: Attempt | undefined,
  { image, nowMs }: Snapshot,
): ImageRecord {
  const { sourceHash: hash, token } = record.retry;
  const lastAttempt = Math.max(record.retry.lastAttempt ?? 0, attempt?.number ?? 0);
  const retry: Retry = {
    ...(hash === undefined ? {} : { sourceHash: hash }),
    ...(lastAttempt === 0 ? {} : { lastAttempt }),
    ...(token === undefined ? {} : { token }),
  };
  const isRecorded = attempt === undefined || hasEnded(record, attempt.number);
  const history = isRecorded ? record.history : withHistory(record.history, image, attempt, 'Succeeded', toInstant(nowMs));
  return { ...record, artifact, retry, history };
}

/** Snapshot and volume are both gone: the image has to be downloaded again. */
export function artifactLost(record: ImageRecord, nowMs: number): ImageRecord {
  return { ...record, artifact: undefined, queuedAt: toInstant(nowMs) };
}

/**
 * How long a failed image waits: the policy's duration, doubled with every failure up to its maximum, and up to 10 % more or less so
 * that images that failed together do not come back together. The same for the same attempt, whoever computes it.
 */
export function backoffMs(policy: Policy, failures: number, seed: string): number {
  const doubled = policy.retryBackoffDuration * 2 ** Math.min(failures - 1, 40);
  return Math.round(
    Math.min(doubled, Math.max(policy.retryBackoffMax, policy.retryBackoffDuration)) * (0.9 + 0.2 * fraction(seed)),
  );
}

function backInQueue(record: ImageRecord, atMs: number, nowMs: number): ImageRecord {
  const at = toInstant(atMs);
  return { ...record, queuedAt: at, retry: { ...record.retry, ...(atMs > nowMs ? { nextRetryAt: at } : {}) } };
}

/**
 * When a source that changed during its download is queued again: at most once per backoff, the first time at once. Never later than one backoff
 * from now: a person may have ended the wait for an earlier change, which no history tells.
 */
function afterChangeMs(history: readonly HistoryEntry[], { retryBackoffDuration }: Policy, nowMs: number): number {
  const earliest = history
    .filter(({ result }) => result === sourceChangedResult)
    .reduceRight((atMs, { ended: changed }) => Math.max(atMs, instantMs(changed) ?? 0) + retryBackoffDuration, 0);
  return Math.max(nowMs, Math.min(earliest, nowMs + retryBackoffDuration));
}

function resultOf(outcome: Outcome): string {
  if (outcome.kind === 'failed') return outcome.failure.reason;
  if (outcome.kind === 'withdrawn') return outcome.reason;
  return outcome.kind === 'cancelled' ? 'Cancelled' : sourceChangedResult;
}

function withHistory(
  history: readonly HistoryEntry[],
  image: StoredImage,
  attempt: Attempt,
  result: string,
  now: string,
): readonly HistoryEntry[] {
  const { url } = image.spec;
  const entry: HistoryEntry = {
    ...(url !== undefined && url !== '' && attempt.sourceHash === sourceHash(image.spec) ? { url } : {}),
    sourceHash: attempt.sourceHash,
    attempt: attempt.number,
    started: attempt.startedAt,
    ended: now,
    result,
  };
  return [entry, ...history.filter((past) => past.attempt !== attempt.number)].slice(0, longestHistory);
}

/** A number from 0 up to 1 that depends on nothing but the text (FNV-1a). */
function fraction(seed: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < seed.length; index++) hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}
