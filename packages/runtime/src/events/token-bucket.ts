import type { Clock } from '#clock/clock.ts';

/** Allows bursts of `size` and one more every `refillMs` after that. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #size: number;
  readonly #refillMs: number;
  #tokens: number;
  #countedAt: number;

  constructor(clock: Clock, size: number, refillMs: number) {
    this.#clock = clock;
    this.#size = size;
    this.#refillMs = refillMs;
    this.#tokens = size;
    this.#countedAt = clock.monotonic();
  }

  /** Takes one if there is one. */
  take(): boolean {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#countedAt) / this.#refillMs);
    this.#countedAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
