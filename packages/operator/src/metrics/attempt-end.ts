/** What a stored decision says about an attempt, for counting. */
import { instantMs, type Snapshot } from '#controllers/vmdiskimage/snapshot.ts';
import type { Decision } from '#controllers/vmdiskimage/step.ts';

/** `failed` is tried again, `gave_up` is not; `deferred` found the platform unable and counts as no attempt of the retry limit. */
type AttemptResult = 'succeeded' | 'failed' | 'gave_up' | 'deferred' | 'cancelled' | 'source_changed' | 'withdrawn';

export interface AttemptEnd {
  readonly result: AttemptResult;
  readonly reason: string;
  /** From admission to the end. */
  readonly seconds: number;
}

/** The attempt that ended with this decision; undefined when none did. */
export function endedAttempt({ image }: Snapshot, decision: Decision): AttemptEnd | undefined {
  const { record } = decision;
  const last = record.retry.lastAttempt ?? 0;
  if (last <= (image.status?.retry?.lastAttempt ?? 0)) return undefined;
  const past = record.history.find(({ attempt }) => attempt === last);
  const seconds = ((instantMs(past?.ended) ?? 0) - (instantMs(past?.started) ?? 0)) / 1000;
  return { result: resultOf(decision), reason: past?.result ?? 'Unknown', seconds: Math.max(0, seconds) };
}

function resultOf({ step, record }: Decision): AttemptResult {
  if (step.kind !== 'end') return 'succeeded';
  const { outcome } = step;
  if (outcome.kind === 'sourceChanged') return 'source_changed';
  if (outcome.kind !== 'failed') return outcome.kind;
  if (outcome.failure.class === 'wait') return 'deferred';
  return record.retry.gaveUp === undefined ? 'failed' : 'gave_up';
}

/** How many more attempts the policy would have allowed after a failure that trying again would not have helped. */
export function avoidedRetries({ policy }: Snapshot, { step, record }: Decision): number {
  if (step.kind !== 'end' || step.outcome.kind !== 'failed' || step.outcome.failure.class !== 'permanent') return 0;
  return Math.max(0, policy.retryLimit + 1 - (record.retry.failures ?? 0));
}

/** How long an image stood in the queue until its attempt was admitted. */
export function waitedSeconds({ step, record }: Decision): number {
  const admittedMs = step.kind === 'begin' ? instantMs(step.attempt.startedAt) : undefined;
  return Math.max(0, (admittedMs ?? 0) - (instantMs(record.queuedAt) ?? 0)) / 1000;
}
