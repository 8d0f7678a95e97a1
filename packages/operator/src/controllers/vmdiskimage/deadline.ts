/** How long a download may take, and how long it may stand still. */
import { conditionOf, type DataVolume, progressOf } from '#platform/cdi.ts';
import { type Failure, shorten } from '#platform/failure.ts';
import type { Attempt } from './record.ts';
import { instantMs, type Snapshot } from './snapshot.ts';

/** The deadline that has passed, as the failure it is. */
export function passedDeadline(snapshot: Snapshot, attempt: Attempt, dataVolume: DataVolume): Failure | undefined {
  const { policy, nowMs } = snapshot;
  const { attemptAtMs, progressAtMs } = deadlines(snapshot, attempt, dataVolume);
  const failure = (reason: Failure['reason'], message: string): Failure => ({
    class: 'retryable',
    reason,
    message: shorten(message),
  });
  if (nowMs >= attemptAtMs)
    return failure('AttemptTimedOut', `not complete ${inWords(policy.attemptTimeout)} after it got its slot`);
  if (nowMs < progressAtMs) return undefined;
  const { status, reason = '', message = reason } = conditionOf(dataVolume, 'Running') ?? {};
  const told = status === 'False' && message !== '' ? ` (${message})` : '';
  return failure('NoProgress', `no progress for ${inWords(policy.noProgressTimeout)}${told}`);
}

/** How long until the first deadline passes. */
export function untilDeadlineMs(snapshot: Snapshot, attempt: Attempt, dataVolume: DataVolume): number {
  const { attemptAtMs, progressAtMs } = deadlines(snapshot, attempt, dataVolume);
  return Math.max(0, Math.min(attemptAtMs, progressAtMs) - snapshot.nowMs);
}

function deadlines(snapshot: Snapshot, attempt: Attempt, dataVolume: DataVolume): { attemptAtMs: number; progressAtMs: number } {
  const { policy, memory, nowMs } = snapshot;
  const startedMs = instantMs(attempt.startedAt) ?? nowMs;
  // It may have taken long to be made, which is no fault of its own.
  const madeMs = instantMs(dataVolume.metadata.creationTimestamp) ?? startedMs;
  const progressedMs = Math.max(startedMs, madeMs, memory.progressedAtMs ?? instantMs(attempt.progressedAt) ?? startedMs);
  // A running importer whose progress nobody reports (a network policy keeps CDI from asking) may be doing well: never killed for that.
  const isUnmetered = progressOf(dataVolume) === undefined && conditionOf(dataVolume, 'Running')?.status === 'True';
  return {
    attemptAtMs: startedMs + policy.attemptTimeout,
    progressAtMs: isUnmetered ? Number.POSITIVE_INFINITY : progressedMs + policy.noProgressTimeout,
  };
}

/** A create is done in a moment; one that is not done by then was refused, or nobody was there to ask for it. */
const lateMs = 30_000;

/** What to say of an attempt whose DataVolume should long be there. */
export function lateCreation({ nowMs }: Snapshot, { dataVolume, startedAt }: Attempt): string | undefined {
  if (nowMs - (instantMs(startedAt) ?? nowMs) < lateMs) return undefined;
  return `creates DataVolume ${dataVolume}, not done since it got its slot at ${startedAt}: if this lasts, the log of the operator tells what the API server answers`;
}

/**
 * An attempt that could not get its DataVolume in the time a download may stand still: nothing was downloaded, so nothing is counted. One that is made
 * even later would be a download whose time is over when it begins.
 */
export function overdueCreation({ policy, nowMs }: Snapshot, { dataVolume, startedAt }: Attempt): Failure | undefined {
  const allowedMs = Math.min(policy.attemptTimeout, policy.noProgressTimeout);
  if (nowMs < (instantMs(startedAt) ?? nowMs) + allowedMs) return undefined;
  const message = `DataVolume ${dataVolume} could not be created within ${inWords(allowedMs)} of getting its slot: the log of the operator tells what the API server answered`;
  return { class: 'wait', reason: 'RefusedByPlatform', message };
}

function inWords(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}
