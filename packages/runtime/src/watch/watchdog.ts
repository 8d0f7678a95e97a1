import type { Clock } from '#clock/clock.ts';

/**
 * Calls `onSilence` once when `feed` was not called for `silenceMs`.
 *
 * Feeding is a clock read, not a timer restart: a busy watch is fed thousands of times a second.
 */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #onSilence: () => void;
  #fedAt: number;
  #cancel: () => void;

  constructor(clock: Clock, silenceMs: number, onSilence: () => void) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#onSilence = onSilence;
    this.#fedAt = clock.monotonic();
    this.#cancel = clock.setTimeout(() => this.#check(), silenceMs);
  }

  feed(): void {
    this.#fedAt = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }

  #check(): void {
    const left = this.#fedAt + this.#silenceMs - this.#clock.monotonic();
    if (left <= 0) this.#onSilence();
    else this.#cancel = this.#clock.setTimeout(() => this.#check(), left);
  }
}
