/** Steps of an image that holds a slot. */
import { dataVolumeName, type LedgerEntry, sourceHash } from '@terrain/api';
import type { DataVolume } from '#platform/cdi.ts';
import { type Failure, judgeImport, shownFailure } from '#platform/failure.ts';
import { overdueCreation, passedDeadline, untilDeadlineMs } from './deadline.ts';
import { decideCut } from './decide-cut.ts';
import { endOf } from './decide-end.ts';
import { completeVolume, isCancelled, isComplete, isGoing, isPaused, isWorthKeeping, volumeOf } from './facts.ts';
import { isUnchecked, preflightProblem } from './preflight.ts';
import { type Attempt, begun, hasEnded, type ImageRecord, isHeldBack, noted, type Outcome } from './record.ts';
import { pausedDownloadStep } from './rest.ts';
import type { Snapshot } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

/** An entry is there: its attempt has not begun, is under way, or is over and has to let go of its slot. */
export function decideAdmitted(snapshot: Snapshot, record: ImageRecord, entry: LedgerEntry): Decision {
  const known = record.attempt?.number ?? 0;
  if (hasEnded(record, entry.attempt) || known > entry.attempt) return { record, step: clearStep(snapshot, record, entry) };
  if (record.attempt === undefined || known < entry.attempt) return decideBegin(snapshot, record, entry);
  return decideRunning(snapshot, record, record.attempt, entry);
}

function clearStep(snapshot: Snapshot, record: ImageRecord, entry: LedgerEntry): Step {
  const { name, uid } = snapshot.image.metadata;
  const volumeName = dataVolumeName({ name, uid, attempt: entry.attempt });
  const dataVolume = snapshot.dataVolumes.find(({ metadata }) => metadata.name === volumeName);
  const keepsDataVolume = dataVolume !== undefined && isWorthKeeping(snapshot, record, dataVolume);
  return { kind: 'clear', entry, keepsDataVolume };
}

function decideBegin(snapshot: Snapshot, record: ImageRecord, entry: LedgerEntry): Decision {
  const attempt = begun(snapshot.image, entry);
  const obstacle = obstacleTo(snapshot, record, entry);
  if (obstacle !== undefined) return endOf(snapshot, record, attempt)({ kind: 'withdrawn', ...obstacle });
  if (isUnchecked(snapshot)) return { record, step: { kind: 'check' } };
  const { nextRetryAt: _, ...retry } = record.retry;
  return { record: { ...record, attempt, retry }, step: { kind: 'begin', attempt } };
}

type Withdrawal = Omit<Extract<Outcome, { kind: 'withdrawn' }>, 'kind'>;

/** Things may have changed between the queue and the slot; then the slot goes back, and nothing is counted. */
function obstacleTo(snapshot: Snapshot, record: ImageRecord, entry: LedgerEntry): Withdrawal | undefined {
  if (entry.state === 'closing') return { reason: 'Interrupted', message: 'the slot was taken back before the attempt began' };
  if (isPaused(snapshot)) return { reason: 'Paused', message: 'paused before the attempt began' };
  if (isCancelled(snapshot)) return { reason: 'Cancelled', message: 'cancelled before the attempt began' };
  const hash = sourceHash(snapshot.image.spec);
  if (record.artifact?.sourceHash === hash || completeVolume(snapshot, hash) !== undefined)
    return { reason: 'Interrupted', message: 'no download is needed any more' };
  if (isHeldBack(record.retry, snapshot.nowMs)) return { reason: 'Interrupted', message: 'the image is held back' };
  return preflightProblem(snapshot);
}

function decideRunning(snapshot: Snapshot, given: ImageRecord, started: Attempt, entry: LedgerEntry): Decision {
  const dataVolume = volumeOf(snapshot, started);
  const record = withNotes(snapshot, given, started, dataVolume);
  const attempt = record.attempt ?? started;
  const end = endOf(snapshot, record, attempt);
  const isHeld = isPaused(snapshot);
  if (isCancelled(snapshot)) return end({ kind: 'cancelled' });
  if (attempt.sourceHash !== sourceHash(snapshot.image.spec) && !isHeld) return end({ kind: 'sourceChanged' });
  if (entry.state === 'closing') return end({ kind: 'withdrawn', reason: 'Interrupted', message: 'the slot was taken back' });
  if (dataVolume === undefined) return decideVolumeless(snapshot, record, attempt);
  const theft = theftOf(dataVolume, started);
  if (theft !== undefined) return end({ kind: 'failed', failure: theft });
  if (isComplete(snapshot, dataVolume))
    return isHeld ? { record, step: { kind: 'yieldSlot', entry } } : decideCut(snapshot, record, dataVolume, attempt);
  const failure =
    judgeImport(dataVolume, snapshot.policy.importRestarts, {
      noted: snapshot.memory.failure,
      words: snapshot.importerWords,
      kills: attempt.kills,
      falls: attempt.falls,
    }) ?? passedDeadline(snapshot, attempt, dataVolume);
  if (failure !== undefined) return end({ kind: 'failed', failure });
  const afterMs = untilDeadlineMs(snapshot, attempt, dataVolume);
  return { record, step: isHeld ? pausedDownloadStep(afterMs) : { kind: 'importing', dataVolume, afterMs } };
}

/** No DataVolume: none was made yet, or the one there was is gone. */
function decideVolumeless(snapshot: Snapshot, record: ImageRecord, attempt: Attempt): Decision {
  const end = endOf(snapshot, record, attempt);
  if ((attempt.dataVolumeUID ?? snapshot.memory.dataVolumeUid) !== undefined)
    return end({ kind: 'failed', failure: lost(`DataVolume ${attempt.dataVolume} was deleted by someone else`) }, true);
  if (isPaused(snapshot)) return end({ kind: 'withdrawn', reason: 'Paused', message: 'paused before the download began' });
  const problem = preflightProblem(snapshot);
  if (problem !== undefined) return end({ kind: 'withdrawn', ...problem });
  const overdue = overdueCreation(snapshot, attempt);
  if (overdue !== undefined) return end({ kind: 'failed', failure: overdue }, true);
  return { record, step: isUnchecked(snapshot) ? { kind: 'check' } : { kind: 'create', attempt } };
}

const lost = (message: string): Failure => ({ class: 'retryable', reason: 'DataVolumeLost', message });

/** Somebody else is at the DataVolume of an attempt. */
function theftOf(dataVolume: DataVolume, { dataVolume: name, dataVolumeUID }: Attempt): Failure | undefined {
  if (dataVolumeUID !== undefined && dataVolumeUID !== dataVolume.metadata.uid)
    return lost(`DataVolume ${name} was replaced by someone else`);
  return isGoing(dataVolume) ? lost(`DataVolume ${name} is being deleted by someone else`) : undefined;
}

/** What was learnt about the attempt meanwhile and has to outlive this process. */
function withNotes(snapshot: Snapshot, record: ImageRecord, attempt: Attempt, dataVolume: DataVolume | undefined): ImageRecord {
  const uid = dataVolume?.metadata.uid;
  if (dataVolume === undefined || uid === undefined) return record;
  const named = attempt.dataVolumeUID === undefined ? { ...attempt, dataVolumeUID: uid } : attempt;
  const known: ImageRecord = { ...record, attempt: { ...named, ...countsOf(snapshot, attempt) } };
  // For people only: it stays after the attempt, so a later one must not take it for its own.
  const failure = snapshot.policy.importRestarts > 0 ? shownFailure(dataVolume) : undefined;
  return failure !== undefined && failure.reason !== record.retry.lastReason ? noted(known, failure) : known;
}

/** Downloads that began again without a restart that the DataVolume would count. */
function countsOf({ memory }: Snapshot, attempt: Attempt): Pick<Attempt, 'kills' | 'falls'> {
  const kills = Math.max(memory.kills ?? 0, attempt.kills ?? 0);
  const falls = Math.max(memory.falls ?? 0, attempt.falls ?? 0);
  return { ...(kills === 0 ? {} : { kills }), ...(falls === 0 ? {} : { falls }) };
}
