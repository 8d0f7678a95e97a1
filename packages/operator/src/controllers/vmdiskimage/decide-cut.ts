/** What to do about the snapshot of a complete download. */
import { sourceHash, volumeSnapshotName } from '@terrain/api';
import { type Failure, shorten } from '#platform/failure.ts';
import { isReadyToUse, type VolumeSnapshot } from '#platform/snapshot.ts';
import { endOf } from './decide-end.ts';
import { attemptOf } from './desired.ts';
import { isGoing } from './facts.ts';
import {
  type Artifact,
  type Attempt,
  deferralMs,
  deferred,
  givenUp,
  type ImageRecord,
  noted,
  runningAttempt,
  succeeded,
} from './record.ts';
import { backoffStep, failedStep } from './rest.ts';
import { instantMs, type Snapshot, toInstant } from './snapshot.ts';
import type { Decision, Volume } from './step.ts';

/** The controller of snapshots repeats what failed and takes its errors back, so an error counts only after a while. */
const errorGraceMs = 60_000;
/** Snapshots of one volume that may fail in a row before it is left to a person. */
const cutsPerRound = 3;

const snapshotFailed = (message: string): Failure => ({ class: 'permanent', reason: 'SnapshotFailed', message });

type Verdict =
  | { readonly kind: 'ready'; readonly snapshot: VolumeSnapshot }
  | { readonly kind: 'create' }
  | { readonly kind: 'wait'; readonly snapshot: VolumeSnapshot; readonly afterMs: number }
  /** This one will not do; `next` is to be cut in its place, or waits for a person when the round is over. */
  | { readonly kind: 'failed'; readonly next: string; readonly isRoundOver: boolean; readonly message: string };

/**
 * Judges the snapshot of that name. One that is gone is cut again under its name: nobody else can have it meanwhile. What was made before `syncedAt` has
 * been ready.
 */
function judgeCut(snapshot: Snapshot, name: string, volume: Volume, syncedAt?: string): Verdict {
  const found = snapshot.snapshots.find(({ metadata }) => metadata.name === name);
  if (found === undefined) return { kind: 'create' };
  if (isReadyToUse(found)) return { kind: 'ready', snapshot: found };
  const next = cutName(snapshot, volume, cutOf(name) + 1);
  // Somebody deletes it, and a snapshot may take long to go: another name, so that nobody waits. It did not fail, so no round ends.
  if (isGoing(found)) return { kind: 'failed', next, isRoundOver: false, message: `VolumeSnapshot ${name} is being deleted` };
  const afterMs = endMsOf(snapshot, found, instantMs(syncedAt)) - snapshot.nowMs;
  if (afterMs > 0) return { kind: 'wait', snapshot: found, afterMs };
  const { error } = found.status ?? {};
  const why =
    error === undefined
      ? `was not ready after ${Math.round(snapshot.policy.noProgressTimeout / 1000)} s`
      : `failed: ${shorten(error.message ?? 'no reason was given')}`;
  return { kind: 'failed', next, isRoundOver: cutOf(name) % cutsPerRound === 0, message: `VolumeSnapshot ${name} ${why}` };
}

/**
 * How long a snapshot is waited for that is not ready, or not any more. An error counts from when it was told, and errors that keep changing do not
 * hold up one that was never ready.
 */
function endMsOf({ policy, nowMs }: Snapshot, { metadata, status }: VolumeSnapshot, syncedMs = 0): number {
  const { noProgressTimeout } = policy;
  const madeMs = instantMs(metadata.creationTimestamp) ?? nowMs;
  const readyByMs = madeMs + noProgressTimeout;
  if (status?.error === undefined) return readyByMs;
  const passesByMs = (instantMs(status.error.time) ?? madeMs) + Math.min(errorGraceMs, noProgressTimeout);
  const wasReady = status.readyToUse === true || madeMs <= syncedMs;
  return wasReady ? passesByMs : Math.min(passesByMs, readyByMs);
}

/** The snapshot of a complete download, within an attempt or outside of any. */
export function decideCut(snapshot: Snapshot, record: ImageRecord, volume: Volume, attempt: Attempt | undefined): Decision {
  const own = record.attempt?.dataVolume === volume.metadata.name ? record.attempt : undefined;
  const name = own?.volumeSnapshot ?? cutName(snapshot, volume, 1);
  const verdict = judgeCut(snapshot, name, volume);
  switch (verdict.kind) {
    case 'create':
      return { record, step: { kind: 'cut', name, volume } };
    case 'wait':
      return { record, step: { kind: 'cutting', snapshot: verdict.snapshot, afterMs: verdict.afterMs } };
    case 'ready': {
      const artifact = artifactOf(snapshot, volume, verdict.snapshot);
      return { record: succeeded(record, artifact, attempt, snapshot), step: { kind: 'succeed', snapshot: verdict.snapshot } };
    }
    case 'failed': {
      const named: Attempt = { ...(own ?? attemptFrom(snapshot, record, volume)), volumeSnapshot: verdict.next };
      const renamed: ImageRecord = { ...record, attempt: named };
      if (!verdict.isRoundOver) return { record: renamed, step: { kind: 'cut', name: verdict.next, volume } };
      if (attempt === undefined) return cutGivenUp(snapshot, renamed, snapshotFailed(verdict.message));
      return endOf(snapshot, renamed, named)({ kind: 'failed', failure: snapshotFailed(verdict.message) });
    }
  }
}

/** The snapshot of an artifact that is not ready any more. Takes no slot, downloads nothing. */
export function decideRecut(snapshot: Snapshot, record: ImageRecord, artifact: Artifact, volume: Volume): Decision {
  const verdict = judgeCut(snapshot, artifact.volumeSnapshot, volume, artifact.syncedAt);
  switch (verdict.kind) {
    case 'ready':
      return { record, step: { kind: 'steady' } };
    case 'create':
      return { record, step: { kind: 'cut', name: artifact.volumeSnapshot, volume } };
    case 'wait':
      return { record, step: { kind: 'cutting', snapshot: verdict.snapshot, afterMs: verdict.afterMs } };
    case 'failed': {
      // Named before it exists: no snapshot that a status names is ever deleted.
      const renamed: ImageRecord = { ...record, artifact: { ...artifact, volumeSnapshot: verdict.next } };
      if (verdict.isRoundOver) return cutGivenUp(snapshot, renamed, snapshotFailed(verdict.message));
      return { record: renamed, step: { kind: 'cut', name: verdict.next, volume } };
    }
  }
}

/**
 * The API server would not take the snapshot. An attempt ends and lets go of its slot; the download is kept, and the snapshot is cut without a slot
 * later, or when a person says so.
 */
export function decideRefusedCut(snapshot: Snapshot, record: ImageRecord, failure: Failure): Decision {
  const attempt = runningAttempt(record);
  if (attempt !== undefined) return endOf(snapshot, record, attempt)({ kind: 'failed', failure });
  if (failure.class !== 'wait') return cutGivenUp(snapshot, record, failure);
  const waiting = deferred(record, failure, snapshot);
  return { record: waiting, step: backoffStep(waiting, deferralMs(snapshot.policy)) };
}

function cutGivenUp(snapshot: Snapshot, record: ImageRecord, failure: Failure): Decision {
  const failed = givenUp(noted(record, failure), failure.reason, snapshot.nowMs);
  return { record: failed, step: failedStep(failed) };
}

function artifactOf({ image, nowMs }: Snapshot, volume: Volume, { metadata, status }: VolumeSnapshot): Artifact {
  const { restoreSize } = status ?? {};
  const { url = '' } = image.spec;
  return {
    volumeSnapshot: metadata.name ?? '',
    dataVolume: volume.metadata.name ?? '',
    ...(restoreSize === undefined ? {} : { restoreSize }),
    ...(url === '' ? {} : { url }),
    sourceHash: sourceHash(image.spec),
    syncedAt: toInstant(nowMs),
  };
}

/**
 * For a volume whose attempt the status has forgotten, or one of an earlier attempt that is of use again because the source was changed
 * back. Its number is that of the last attempt there was: numbers never go back.
 */
function attemptFrom({ image, nowMs }: Snapshot, { attempt }: ImageRecord, volume: Volume): Attempt {
  const { name = '', creationTimestamp = toInstant(nowMs) } = volume.metadata;
  const number = Math.max(attemptOf(volume), attempt?.number ?? 0);
  return { number, sourceHash: sourceHash(image.spec), startedAt: creationTimestamp, dataVolume: name };
}

function cutName({ image }: Snapshot, volume: Volume, cut: number): string {
  const { name, uid } = image.metadata;
  return volumeSnapshotName({ name, uid, attempt: attemptOf(volume), cut });
}

/** Which cut of its volume a snapshot is, by its name. */
const cutOf = (name: string): number => Number(/-s([1-9][0-9]{0,8})$/.exec(name)?.[1] ?? 1);
