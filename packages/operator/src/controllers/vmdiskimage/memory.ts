import { conditionOf, type DataVolume, progressOf } from '#platform/cdi.ts';
import { type Failure, isKilledForMemory, shownFailure } from '#platform/failure.ts';
import type { Attempt } from './record.ts';
import { instantMs, type Memory } from './snapshot.ts';

interface Remembered {
  readonly attempt: number;
  dataVolumeUid: string;
  percent: number | undefined;
  progressedAtMs: number | undefined;
  movingSinceMs: number | undefined;
  isKilled: boolean;
  kills: number;
  falls: number;
  failure: Failure | undefined;
}

/** What fails is tried again sooner than this; a failure after a longer pause is another one. */
const cutPauseMs = 600_000;

/**
 * What this process has seen of running attempts. Losing it costs nothing but precision: what decisions must not forget is in the
 * status.
 */
export class Memories {
  readonly #remembered = new Map<string, Remembered>();
  readonly #holders = new Map<string, NonNullable<Memory['slotHolder']>>();
  /** Since when snapshots of an image cannot be created, and when that was last seen. */
  readonly #cuts = new Map<string, { readonly sinceMs: number; readonly seenMs: number }>();

  of(uid: string, attempt: number | undefined): Memory {
    const slotHolder = this.#holders.get(uid);
    return { ...this.#ofAttempt(uid, attempt), ...(slotHolder === undefined ? {} : { slotHolder }) };
  }

  #ofAttempt(uid: string, attempt: number | undefined): Memory {
    const known = this.#remembered.get(uid);
    if (known === undefined || known.attempt !== attempt) return {};
    const { dataVolumeUid, progressedAtMs, movingSinceMs, kills, falls, failure } = known;
    return {
      dataVolumeUid,
      ...(progressedAtMs === undefined ? {} : { progressedAtMs }),
      ...(movingSinceMs === undefined ? {} : { movingSinceMs }),
      ...(kills === 0 ? {} : { kills }),
      ...(falls === 0 ? {} : { falls }),
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /** The DataVolume of an attempt was seen or made. `reported` is the progress the status shows. */
  see(uid: string, attempt: Attempt, dataVolume: DataVolume, nowMs: number, reported?: string): void {
    const known = this.#remembered.get(uid);
    if (known === undefined || known.attempt !== attempt.number)
      this.#remembered.set(uid, firstSight(attempt, dataVolume, nowMs, reported));
    else seeAgain(known, dataVolume, nowMs);
  }

  /** The slot of an attempt that is over was looked at: what keeps it from being given back, or nothing any more. */
  slotHeldBy(uid: string, attempt: number, what: string | undefined, nowMs: number): void {
    const known = this.#holders.get(uid);
    const sinceMs = known?.attempt === attempt ? known.sinceMs : nowMs;
    if (what === undefined) this.#holders.delete(uid);
    else this.#holders.set(uid, { attempt, what, sinceMs });
  }

  /** A snapshot could not be created; answers since when that is so. */
  cutFailed(uid: string, nowMs: number): number {
    const known = this.#cuts.get(uid);
    const sinceMs = known !== undefined && nowMs - known.seenMs < cutPauseMs ? known.sinceMs : nowMs;
    this.#cuts.set(uid, { sinceMs, seenMs: nowMs });
    return sinceMs;
  }

  cutDone(uid: string): void {
    this.#cuts.delete(uid);
  }

  forget(uid: string): void {
    this.#remembered.delete(uid);
    this.#holders.delete(uid);
    this.#cuts.delete(uid);
  }
}

/**
 * Falls are counted only from what this process has seen before, never from what the status reports: its cache of DataVolumes may be older than that at
 * first, and a fall ends an attempt.
 */
function firstSight(attempt: Attempt, dataVolume: DataVolume, nowMs: number, reported = '0'): Remembered {
  const percent = progressOf(dataVolume);
  const isAhead = (percent ?? 0) >= Number.parseInt(reported, 10) + 1;
  return {
    attempt: attempt.number,
    dataVolumeUid: dataVolume.metadata.uid ?? '',
    percent,
    progressedAtMs: isAhead ? nowMs : instantMs(attempt.progressedAt),
    movingSinceMs: percent === undefined ? undefined : nowMs,
    isKilled: isKilledForMemory(dataVolume),
    kills: attempt.kills ?? 0,
    falls: attempt.falls ?? 0,
    failure: shownFailure(dataVolume),
  };
}

function seeAgain(known: Remembered, dataVolume: DataVolume, nowMs: number): void {
  const isKilled = isKilledForMemory(dataVolume);
  // Not before: what is shown is judged as it is, and a process that comes later finds it shown too, so that each is counted once.
  if (known.isKilled && !isKilled) known.kills++;
  known.isKilled = isKilled;
  known.failure = shownFailure(dataVolume) ?? known.failure;
  if (conditionOf(dataVolume, 'Running')?.reason === scratchSpace) known.percent = undefined;
  seeProgress(known, progressOf(dataVolume), nowMs);
}

/** Why CDI replaces the first pod of every import, which is no failure. */
const scratchSpace = 'Scratch space required';

function seeProgress(known: Remembered, percent: number | undefined, nowMs: number): void {
  const { percent: before } = known;
  if (percent === undefined || percent === before) return;
  if (before === undefined || percent > before) known.progressedAtMs = nowMs;
  else if (isClearFall(before, percent)) known.falls++;
  known.percent = percent;
  known.movingSinceMs ??= nowMs;
}

/** An importer only ever counts up, and one that begins again is seen near 0; a fall ends a good download, so it has to be beyond doubt. */
const isClearFall = (before: number, percent: number): boolean => percent < before / 2;
