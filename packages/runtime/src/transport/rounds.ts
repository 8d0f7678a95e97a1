import type { Clock } from '#clock/clock.ts';

/** When what comes in counts as a crowd, and how long it is gathered then. */
export interface RoundsOptions {
  readonly clock: Clock;
  /** More than so many pieces a second are a crowd. Default 100. */
  readonly crowdPerSecond?: number;
  /** Time from one round to the next in a crowd. Default 100 ms. */
  readonly roundMs?: number;
}

const secondMs = 1000;

/**
 * Hands on at once what comes now and then, and in rounds what comes in crowds.
 *
 * To be woken for every event of a busy cluster costs more than the events themselves need: ten rounds a second do the same work in a tenth less of
 * the processor's time (docs/decisions/0022-rounds.md).
 *
 * Guarantees: callbacks are called in the order they came, each once for a round however often it came; none waits longer than a round.
 * Caveats: whether there is a crowd is known a second after it began.
 */
export class Rounds {
  readonly #clock: Clock;
  readonly #crowdPerSecond: number;
  readonly #roundMs: number;
  readonly #waiting = new Set<() => void>();
  #roundAt = Number.NEGATIVE_INFINITY;
  #isCrowd = false;
  #countedSince: number;
  #counted = 0;

  constructor({ clock, crowdPerSecond = 100, roundMs = 100 }: RoundsOptions) {
    this.#clock = clock;
    this.#crowdPerSecond = crowdPerSecond;
    this.#roundMs = roundMs;
    this.#countedSince = clock.monotonic();
  }

  /** Something came in for this callback. */
  join(callback: () => void): void {
    const now = this.#clock.monotonic();
    this.#count(now);
    if (this.#waiting.size > 0) {
      this.#waiting.add(callback);
      return;
    }
    const dueAt = this.#isCrowd ? this.#roundAt + this.#roundMs : now;
    if (dueAt > now) {
      this.#waiting.add(callback);
      this.#clock.setTimeout(() => this.#round(), dueAt - now);
      return;
    }
    this.#roundAt = now;
    callback();
  }

  #round(): void {
    this.#roundAt = this.#clock.monotonic();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of waiting) callback();
  }

  #count(now: number): void {
    const elapsedMs = now - this.#countedSince;
    if (elapsedMs >= secondMs) {
      this.#isCrowd = (this.#counted * secondMs) / elapsedMs > this.#crowdPerSecond;
      this.#counted = 0;
      this.#countedSince = now;
    }
    this.#counted++;
  }
}
