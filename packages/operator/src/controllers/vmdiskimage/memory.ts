import type { DataVolume } from '#platform/cdi.ts';
import { progressOf } from '#platform/cdi.ts';
import type { Attempt } from './record.ts';
import { instantMs, type Memory } from './snapshot.ts';

interface Remembered {
  readonly attempt: number;
  dataVolumeUid: string;
  progress: string | undefined;
  progressedAtMs: number | undefined;
  movingSinceMs: number | undefined;
}

/**
 * What this process has seen of running attempts. Losing it costs nothing but precision: what decisions must not forget is in the
 * status.
 */
export class Memories {
  readonly #remembered = new Map<string, Remembered>();

  of(uid: string, attempt: number | undefined): Memory {
    const known = this.#remembered.get(uid);
    if (known === undefined || known.attempt !== attempt) return {};
    const { dataVolumeUid, progressedAtMs, movingSinceMs } = known;
    return {
      dataVolumeUid,
      ...(progressedAtMs === undefined ? {} : { progressedAtMs }),
      ...(movingSinceMs === undefined ? {} : { movingSinceMs }),
    };
  }

  /** The DataVolume of an attempt was seen or made. `reported` is the progress the status shows. */
  see(uid: string, attempt: Attempt, dataVolume: DataVolume, nowMs: number, reported?: string): void {
    const known = this.#remembered.get(uid);
    const { progress } = dataVolume.status ?? {};
    const percent = progressOf(dataVolume);
    if (known === undefined || known.attempt !== attempt.number) {
      const isAhead = (percent ?? 0) >= Number.parseInt(reported ?? '0', 10) + 1;
      this.#remembered.set(uid, {
        attempt: attempt.number,
        dataVolumeUid: dataVolume.metadata.uid ?? '',
        progress,
        progressedAtMs: isAhead ? nowMs : instantMs(attempt.progressedAt),
        movingSinceMs: percent === undefined ? undefined : nowMs,
      });
      return;
    }
    if (known.progress === progress) return;
    known.progress = progress;
    known.progressedAtMs = nowMs;
    if (percent !== undefined) known.movingSinceMs ??= nowMs;
  }

  forget(uid: string): void {
    this.#remembered.delete(uid);
  }
}
