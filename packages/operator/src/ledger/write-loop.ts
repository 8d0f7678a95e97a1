import type { Clock, Logger } from '@terrain/runtime';

export interface WriteLoopOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  /** Least time from one write to the next. */
  readonly gatherMs: () => number;
  /** Does what there is to do. What comes meanwhile is done by the next one. */
  readonly flush: (signal: AbortSignal) => Promise<void>;
  /** A flush failed; it is tried again after a while. */
  readonly onFailure: () => void;
}

const firstRetryMs = 50;
const longestRetryMs = 5000;
/** So many failures in a row are worth a warning: conflicts with another writer are not. */
const quietFailures = 5;

/** Flushes one at a time, whenever there is something new, and again with a growing pause after a failure. */
export class WriteLoop {
  readonly #options: WriteLoopOptions;
  readonly #stop = new AbortController();
  #isDirty = false;
  #isRunning = false;
  #failures = 0;
  #lastWriteAt = Number.NEGATIVE_INFINITY;

  constructor(options: WriteLoopOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** There is something to do. */
  nudge(): void {
    this.#isDirty = true;
    if (this.#isRunning || this.isClosed) return;
    this.#isRunning = true;
    queueMicrotask(() => void this.#run());
  }

  /** A write begins: the next one waits until others have gathered. */
  wrote(): void {
    this.#lastWriteAt = this.#options.clock.monotonic();
  }

  close(): void {
    this.#stop.abort(new Error('the ledger is not kept any more'));
  }

  async #run(): Promise<void> {
    const { clock, gatherMs, flush } = this.#options;
    const { signal } = this.#stop;
    while (this.#isDirty && !signal.aborted) {
      try {
        const waitMs = this.#lastWriteAt + gatherMs() - clock.monotonic();
        if (waitMs > 0) await clock.sleep(waitMs, signal);
        this.#isDirty = false;
        await flush(signal);
        this.#failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        await this.#recover(error, signal);
      }
    }
    this.#isRunning = false;
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, log, random = Math.random, onFailure } = this.#options;
    onFailure();
    this.#isDirty = true;
    const retryInMs = Math.min(firstRetryMs * 2 ** this.#failures++, longestRetryMs) * (0.5 + random() / 2);
    log.debug({ err: error, retryInMs }, 'the ledger could not be written');
    if (this.#failures > quietFailures)
      log.warn({ err: error, retryInMs }, 'the ledger cannot be written; no sync starts meanwhile');
    await clock.sleep(retryInMs, signal).catch(() => undefined);
  }
}
