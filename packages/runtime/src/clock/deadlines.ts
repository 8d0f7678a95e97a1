import type { Clock } from './clock.ts';

/** Something that must not take for ever. */
export interface Timed {
  /** By the clock's monotonic time. */
  readonly endsAt: number;
  /** Called once when it is that time. */
  late(): void;
}

/**
 * Deadlines of many short things that nearly always end in time, by one timer for all: to set and clear one for each request and each pass was
 * two per cent of an operator's work.
 *
 * Guarantees: nobody is late early; there is no timer while nobody waits.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #waiting = new Set<Timed>();
  #firesAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(timed: Timed): void {
    this.#waiting.add(timed);
    if (timed.endsAt < this.#firesAt) this.#arm(timed.endsAt);
  }

  delete(timed: Timed): void {
    if (this.#waiting.delete(timed) && this.#waiting.size === 0) this.#disarm();
  }

  #arm(firesAt: number): void {
    this.#cancel();
    this.#firesAt = firesAt;
    this.#cancel = this.#clock.setTimeout(() => this.#fire(), firesAt - this.#clock.monotonic());
  }

  #disarm(): void {
    this.#cancel();
    this.#firesAt = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    const now = this.#clock.monotonic();
    this.#firesAt = Number.POSITIVE_INFINITY;
    const late = [...this.#waiting].filter(({ endsAt }) => endsAt <= now);
    for (const timed of late) this.#waiting.delete(timed);
    // Who was the first may have ended long ago: the timer is for whoever is the first now.
    const firesAt = this.#waiting.values().reduce((first, { endsAt }) => Math.min(first, endsAt), Number.POSITIVE_INFINITY);
    if (firesAt < Number.POSITIVE_INFINITY) this.#arm(firesAt);
    for (const timed of late) timed.late();
  }
}
