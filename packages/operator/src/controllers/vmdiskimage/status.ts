/** What people and other programs read about an image. The only file that names its conditions and phases. */
import { type Condition, sourceHash, VMDiskImageCondition, type VMDiskImageReason, type VMDiskImageStatus } from '@terrain/api';
import { progressOf } from '#platform/cdi.ts';
import { lateCreation } from './deadline.ts';
import { decideResting } from './decide.ts';
import { completeVolume, isPaused } from './facts.ts';
import type { ImageRecord } from './record.ts';
import { runningAttempt } from './record.ts';
import { referenceStatus } from './references.ts';
import { cuttingWords, hasOlderArtifact, slotNote } from './rest.ts';
import { instantMs, type Snapshot, toInstant } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

/** Progress and other small news of a running download are written at most this often. */
export const quietMs = 5000;
/** What nobody reads, and only another process would miss, is written by then. */
const noteMs = 30_000;

type Verdict = { readonly status: 'True' | 'False'; readonly reason: VMDiskImageReason; readonly message: string };
type Verdicts = Readonly<Record<keyof typeof VMDiskImageCondition, Verdict>>;

/** The whole status after a decision: nothing is carried over but what the record holds and since when conditions are what they are. */
export function statusOf(snapshot: Snapshot, { step, record: given }: Decision): VMDiskImageStatus {
  const { image, nowMs } = snapshot;
  const before = image.status ?? {};
  const shown = shownStep(snapshot, given, step);
  const verdicts = withNote(
    verdictsOf(snapshot, given, shown),
    (step.kind === 'clear' || step.kind === 'inUse') && step.entry !== undefined ? slotNote(snapshot, step.entry.attempt) : '',
  );
  const progress = shownProgress(shown, before.progress);
  const record = isMore(progress, before.progress) ? reported(given, nowMs) : given;
  const { generation } = image.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: phaseOf(verdicts),
    message: verdicts.Ready.message,
    conditions: Object.entries(verdicts).map(([type, verdict]) =>
      conditionOf(type, verdict, before.conditions ?? [], generation, nowMs),
    ),
    ...(progress === undefined ? {} : { progress }),
    queuedAt: record.queuedAt,
    ticket: record.ticket,
    ...(record.attempt === undefined ? {} : { attempt: record.attempt }),
    retry: record.retry,
    ...(record.artifact === undefined ? {} : { artifact: record.artifact }),
    ...referenceStatus(snapshot),
    ...(record.history.length === 0 ? {} : { history: [...record.history] }),
  };
}

/** While an attempt that is over is cleared away, people want to know what comes next, not that. */
function shownStep(snapshot: Snapshot, record: ImageRecord, step: Step): Step {
  if (step.kind === 'end' && step.outcome.kind === 'withdrawn' && step.outcome.reason !== 'Interrupted') {
    const { reason, message } = step.outcome;
    return { kind: 'wait', reason, message };
  }
  return step.kind === 'end' || step.kind === 'clear' ? decideResting(snapshot, record).step : step;
}

function verdictsOf(snapshot: Snapshot, record: ImageRecord, step: Step): Verdicts {
  const { artifact } = record;
  const downloading = `downloads into DataVolume ${record.attempt?.dataVolume}`;
  const no = (reason: VMDiskImageReason, message: string): Verdict => ({ status: 'False', reason, message });
  const yes = (reason: VMDiskImageReason, message: string): Verdict => ({ status: 'True', reason, message });
  /** Work is under way, or waits its turn. */
  const working = (reason: VMDiskImageReason, message: string, isImported = false): Verdicts => ({
    // Machines that could clone the older snapshot are told that a newer one is coming.
    Ready: hasOlderArtifact(snapshot, record)
      ? no('Updating', `${message}; the snapshot of the former source stays until then`)
      : no(reason, message),
    Imported: isImported ? yes('Succeeded', 'the download is complete') : no(reason, message),
    Snapshotted: no(reason, message),
    Reconciling: yes('Progressing', message),
    Stalled: no('Progressing', message),
  });
  const resting = (reason: VMDiskImageReason, message: string, change: Partial<Verdicts> = {}): Verdicts => ({
    Ready: no(reason, message),
    Imported: no(reason, message),
    Snapshotted: no(reason, message),
    Reconciling: yes(reason, message),
    Stalled: no(reason, message),
    ...change,
  });
  switch (step.kind) {
    case 'steady':
    case 'succeed': {
      const note = isPaused(snapshot) ? '; paused by the annotation pelotech.ot/paused' : '';
      const done = `machines can clone VolumeSnapshot ${artifact?.volumeSnapshot}${note}`;
      return {
        Ready: yes('Succeeded', done),
        Imported: yes('Succeeded', 'the download is complete'),
        Snapshotted: yes('Succeeded', done),
        Reconciling: no('UpToDate', done),
        Stalled: no('UpToDate', done),
      };
    }
    case 'queue':
      return step.isPolicyPaused
        ? working('PolicyPaused', 'concurrency is 0 in the ConfigMap sync-operator-policy: no download starts until it is raised')
        : working('Queued', 'waits for one of the slots the sync policy allows');
    case 'check':
      return working('Queued', 'checks what the download needs');
    case 'create':
      return working('Importing', lateCreation(snapshot, step.attempt) ?? downloading);
    case 'begin':
    case 'importing':
    case 'adopt':
      return working('Importing', downloading);
    case 'cut':
      return working('Snapshotting', `cuts VolumeSnapshot ${step.name}`, true);
    case 'cutting':
      return working('Snapshotting', cuttingWords(step.snapshot), true);
    case 'lose':
      return working(
        'ArtifactLost',
        `VolumeSnapshot ${step.volumeSnapshot} and the volume it was cut from are gone: downloads again`,
      );
    case 'yieldSlot':
      return resting('Paused', 'the download is complete; paused by the annotation pelotech.ot/paused', {
        Imported: yes('Succeeded', 'the download is complete'),
      });
    case 'wait': {
      const isDownloaded = completeVolume(snapshot, sourceHash(snapshot.image.spec)) !== undefined;
      if (step.reason !== 'Paused')
        return resting(step.reason, step.message, isDownloaded ? { Imported: yes('Succeeded', 'the download is complete') } : {});
      const isDownloading = runningAttempt(record) !== undefined;
      return resting('Paused', step.message, {
        Reconciling: no('Paused', step.message),
        ...(isDownloading ? { Imported: no('Importing', downloading) } : {}),
      });
    }
    case 'failed':
      return resting(step.reason, step.message, {
        Reconciling: no(step.reason, step.message),
        Stalled: yes(step.reason, step.message),
      });
    case 'inUse': {
      const { count, names } = snapshot.references;
      const who = `${names.join(', ')}${count > names.length ? ' and others' : ''}`;
      return resting(
        'InUse',
        `is being deleted, but ${count} virtual ${count === 1 ? 'machine refers' : 'machines refer'} to it (${who}): delete them first, or point them to another image`,
      );
    }
    case 'remove':
      return resting('Deleting', 'is being deleted: its snapshot, its volume and its slot go first');
    case 'end':
    case 'clear':
      return working('Queued', 'clears away the last attempt');
  }
}

function withNote(verdicts: Verdicts, note: string): Verdicts {
  if (note === '') return verdicts;
  const noted = Object.entries(verdicts).map(([type, verdict]) => [type, { ...verdict, message: verdict.message + note }]);
  return Object.fromEntries(noted) as Verdicts;
}

function phaseOf({ Ready, Stalled, Imported, Snapshotted }: Verdicts): NonNullable<VMDiskImageStatus['phase']> {
  if (Ready.status === 'True') return 'Succeeded';
  if (Stalled.status === 'True') return 'Failed';
  return Imported.reason === 'Importing' || Snapshotted.reason === 'Snapshotting' ? 'Syncing' : 'Queued';
}

function conditionOf(
  type: string,
  verdict: Verdict,
  before: readonly Condition[],
  generation: number | undefined,
  nowMs: number,
): Condition {
  const known = before.find((condition) => condition.type === type);
  return {
    type,
    ...verdict,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: known?.status === verdict.status ? known.lastTransitionTime : toInstant(nowMs - (nowMs % 1000)),
  };
}

function shownProgress(step: Step, before: string | undefined): string | undefined {
  switch (step.kind) {
    case 'importing':
    case 'adopt': {
      const percent = progressOf(step.dataVolume);
      return percent === undefined ? before : `${Math.floor(percent)}%`;
    }
    case 'cut':
    case 'cutting':
    case 'succeed':
    case 'steady':
      return '100%';
    default:
      return undefined;
  }
}

/** A fall is shown too, but deadlines must not move with it. */
const isMore = (progress: string | undefined, before = ''): boolean =>
  progress !== undefined && !(Number.parseInt(progress, 10) <= Number.parseInt(before, 10));

const reported = (record: ImageRecord, nowMs: number): ImageRecord =>
  runningAttempt(record) === undefined || record.attempt === undefined
    ? record
    : { ...record, attempt: { ...record.attempt, progressedAt: toInstant(nowMs) } };

/** The summary among the conditions. */
export const readiness = (status: VMDiskImageStatus | undefined): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === VMDiskImageCondition.Ready);

/**
 * How long the news in a status can wait. 0: they cannot.
 *
 * While an attempt runs, its progress and its stage are written at most every five seconds, and a stage only when it has lasted that long: an image
 * that takes less costs no write between the beginning and the end, however long the platform lets it wait before or in between.
 */
export function heldBackMs(snapshot: Snapshot, { step, record }: Decision, next: VMDiskImageStatus): number {
  const { image, nowMs } = snapshot;
  const before = image.status;
  const attempt = runningAttempt(record);
  const isQuiet = step.kind === 'importing' || step.kind === 'cut' || step.kind === 'cutting' || step.kind === 'create';
  if (!isQuiet || before === undefined || attempt === undefined || attempt.number !== before.attempt?.number) return 0;
  if (JSON.stringify(essence(before)) !== JSON.stringify(essence(next))) return 0;
  const toldMs = instantMs(before.attempt.progressedAt) ?? instantMs(before.attempt.startedAt) ?? 0;
  return Math.max(0, Math.max(toldMs, stageSinceMs(snapshot, step, before, next)) + quietMs - nowMs);
}

/** Since when there has been what a status tells anew. */
function stageSinceMs({ memory, nowMs }: Snapshot, step: Step, before: VMDiskImageStatus, next: VMDiskImageStatus): number {
  if (step.kind === 'cut') return nowMs;
  if (step.kind === 'cutting') return instantMs(step.snapshot.metadata.creationTimestamp) ?? 0;
  if (step.kind !== 'importing') return 0;
  if (next.progress !== before.progress) return memory.movingSinceMs ?? 0;
  const isNoted = next.retry?.lastReason !== before.retry?.lastReason || next.retry?.lastMessage !== before.retry?.lastMessage;
  return isNoted ? 0 : (instantMs(before.attempt?.startedAt) ?? 0) + noteMs - quietMs;
}

/** What cannot wait. */
function essence({
  observedGeneration,
  phase,
  queuedAt,
  ticket,
  attempt,
  retry,
  artifact,
  references,
  referencedBy,
  referencesAsOf,
}: VMDiskImageStatus): unknown {
  const { failures, lastAttempt, nextRetryAt, gaveUp, token, sourceHash } = retry ?? {};
  return [
    observedGeneration,
    phase,
    queuedAt,
    ticket,
    attempt?.number,
    attempt?.volumeSnapshot,
    [attempt?.kills, attempt?.falls],
    [failures, lastAttempt, nextRetryAt, gaveUp?.at, token, sourceHash],
    artifact?.volumeSnapshot,
    [references, referencedBy, referencesAsOf],
  ];
}
