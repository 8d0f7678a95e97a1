/** From what was observed to the next step. Pure; never reads phase, conditions or message. */
import { sourceHash } from '@terrain/api';
import { isUnfinished } from '#platform/cdi.ts';
import { judgeImport } from '#platform/failure.ts';
import { isReadyToUse } from '#platform/snapshot.ts';
import { decideAdmitted } from './decide-attempt.ts';
import { decideCut, decideRecut } from './decide-cut.ts';
import { endOf } from './decide-end.ts';
import { completeVolume, isBound, isCancelled, isComplete, isGoing, isPaused, volumeOf } from './facts.ts';
import { preflightProblem } from './preflight.ts';
import {
  type Artifact,
  type Attempt,
  artifactLost,
  currentRecord,
  givenUp,
  type ImageRecord,
  isDeferred,
  notDeferred,
  runningAttempt,
} from './record.ts';
import { backoffStep, failedStep, pausedStep, queueStep } from './rest.ts';
import { instantMs, type Snapshot } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

/** What an image needs next. */
export function decide(snapshot: Snapshot): Decision {
  const record = currentRecord(snapshot);
  const { image, slot } = snapshot;
  if (slot.ledger === 'unreadable') return decideUnledgered(snapshot, record, slot.message);
  // A pause holds up a deletion too, but never a slot.
  const isHeld = isGoing(image) && isPaused(snapshot);
  if (isGoing(image) && !(isHeld && slot.entry !== undefined)) return { record, step: deletionStep(snapshot, slot.entry) };
  if (slot.entry !== undefined) return decideAdmitted(snapshot, record, slot.entry);
  const interrupted = runningAttempt(record);
  const decision = interrupted === undefined ? undefined : decideInterrupted(snapshot, record, interrupted);
  return decision ?? decideResting(snapshot, record);
}

/** Steps that take a slot, or end with one that is given back. */
const slotSteps: ReadonlySet<Step['kind']> = new Set(['queue', 'end']);

/**
 * The ledger was written by another version: nobody gets a slot, and nobody can give one back. What needs neither goes on, so that such a
 * ledger takes nothing from machines that clone what is there.
 */
function decideUnledgered(snapshot: Snapshot, record: ImageRecord, message: string): Decision {
  const { image, dataVolumes } = snapshot;
  const waiting: Decision = { record, step: { kind: 'wait', reason: 'Queued', message } };
  if (isGoing(image)) {
    const step = deletionStep(snapshot, undefined);
    const running = dataVolumes.find(isUnfinished)?.metadata.name;
    if (step.kind !== 'remove' || running === undefined) return { record, step };
    // Nobody is to be left with a slot whose download nobody can look at any more. CDI ends it without us, and that wakes us.
    const why = `is being deleted, but DataVolume ${running} still downloads in a slot that cannot be given back: ${message}`;
    return { record, step: { kind: 'wait', reason: 'Deleting', message: why } };
  }
  const attempt = runningAttempt(record);
  const hash = sourceHash(image.spec);
  const isDownloading =
    attempt !== undefined && record.artifact?.sourceHash !== hash && completeVolume(snapshot, hash) === undefined;
  if (isDownloading) return waiting;
  const decision = decideResting(snapshot, record);
  return slotSteps.has(decision.step.kind) ? waiting : decision;
}

/** What an image without an attempt needs next. Also what people are told while an attempt that is over is being cleared away. */
export function decideResting(snapshot: Snapshot, record: ImageRecord): Decision {
  const decision = decideUnadmitted(snapshot, record);
  const isStill = decision.step.kind === 'steady' || decision.step.kind === 'failed';
  return isStill || !isPaused(snapshot) ? decision : { record, step: pausedStep };
}

function deletionStep(snapshot: Snapshot, entry: Extract<Step, { kind: 'remove' }>['entry']): Step {
  if (isPaused(snapshot)) return pausedStep;
  if (snapshot.references.count > 0 && !snapshot.namespace.isTerminating) return { kind: 'inUse', entry };
  return { kind: 'remove', entry };
}

/**
 * An attempt is under way by the record, but has no slot: the ledger was lost or edited, or the slot was given back during a pause.
 * Undefined when its download is complete: what is missing takes no slot.
 */
function decideInterrupted(snapshot: Snapshot, record: ImageRecord, attempt: Attempt): Decision | undefined {
  const { image, policy } = snapshot;
  const dataVolume = volumeOf(snapshot, attempt);
  const isSameSource = attempt.sourceHash === sourceHash(image.spec);
  const end = endOf(snapshot, record, attempt);
  if (dataVolume === undefined) {
    if (attempt.dataVolumeUID === undefined)
      return end(
        { kind: 'withdrawn', reason: 'Interrupted', message: 'the attempt lost its slot before its download began' },
        true,
      );
    return end(
      {
        kind: 'failed',
        failure: { class: 'retryable', reason: 'DataVolumeLost', message: `DataVolume ${attempt.dataVolume} is gone` },
      },
      true,
    );
  }
  if (isSameSource && isComplete(snapshot, dataVolume)) return undefined;
  if (isCancelled(snapshot)) return end({ kind: 'cancelled' });
  if (!isSameSource) return end({ kind: 'sourceChanged' });
  const failure = judgeImport(dataVolume, policy.importRestarts, { words: snapshot.importerWords });
  if (failure !== undefined) return end({ kind: 'failed', failure });
  return { record, step: { kind: 'adopt', attempt, dataVolume } };
}

function decideUnadmitted(snapshot: Snapshot, record: ImageRecord): Decision {
  const { image, nowMs } = snapshot;
  const { artifact, retry } = record;
  const hash = sourceHash(image.spec);
  if (artifact?.sourceHash === hash) return decideArtifact(snapshot, record, artifact);
  if (retry.gaveUp !== undefined) return { record, step: failedStep(record) };
  const complete = completeVolume(snapshot, hash);
  if (complete !== undefined) return deferral(record, nowMs) ?? decideCut(snapshot, record, complete, runningAttempt(record));
  if (isCancelled(snapshot)) {
    const cancelled = givenUp(record, 'Cancelled', nowMs);
    return { record: cancelled, step: failedStep(cancelled) };
  }
  const waiting = backoff(record, nowMs);
  if (waiting !== undefined) return waiting;
  const problem = preflightProblem(snapshot);
  if (problem !== undefined) return { record, step: { kind: 'wait', ...problem } };
  return { record, step: queueStep(snapshot, record) };
}

function backoff(record: ImageRecord, nowMs: number): Decision | undefined {
  const afterMs = (instantMs(record.retry.nextRetryAt) ?? 0) - nowMs;
  return afterMs > 0 ? { record, step: backoffStep(record, afterMs) } : undefined;
}

/** A snapshot needs no slot and no place in the queue; it waits only for what the platform refused. */
const deferral = (record: ImageRecord, nowMs: number): Decision | undefined =>
  isDeferred(record.retry) ? backoff(record, nowMs) : undefined;

/** An artifact of the current source: is it still there? */
function decideArtifact(snapshot: Snapshot, record: ImageRecord, artifact: Artifact): Decision {
  const { snapshots, claims, platform, nowMs } = snapshot;
  const current = snapshots.find(({ metadata }) => metadata.name === artifact.volumeSnapshot);
  if (current !== undefined && isReadyToUse(current)) return { record: notDeferred(record), step: { kind: 'steady' } };
  // A kind that is not served right now shows no objects; that does not mean they are gone.
  const problem = platform.hasSnapshots && platform.hasDataVolumes ? undefined : preflightProblem(snapshot);
  if (problem !== undefined) return { record, step: { kind: 'wait', ...problem } };
  if (record.retry.gaveUp !== undefined) return { record, step: failedStep(record) };
  const claim = claims.get(artifact.dataVolume);
  if (isBound(claim)) return deferral(record, nowMs) ?? decideRecut(snapshot, record, artifact, claim);
  const { volumeSnapshot, dataVolume } = artifact;
  return { record: artifactLost(record, nowMs), step: { kind: 'lose', volumeSnapshot, dataVolume } };
}
