import { type Clock, sleepOn } from '#clock/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until a test moves it.
 *
 * Guarantees: timers fire in the order they are due, those due at the same moment in the order they were set; while one fires,
 * `monotonic` shows the moment it was due, also for timers set by other timers. Promises settled by a timer run before the next timer.
 * `shiftWall` moves `now` only: no timer fires and `monotonic` stays.
 * Caveats: work that waits for real input or output is not seen; `advance` does not wait for it.
 */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  #monotonic = 0;
  #wallOffset: number;
  #sequence = 0;

  /** `start` is the wall time to begin with, in milliseconds since 1970. */
  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#wallOffset = start;
  }

  now(): number {
    return this.#wallOffset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimeout(callback: () => void, ms: number): () => void {
    const timer = { dueAt: this.#monotonic + Math.max(0, ms), sequence: this.#sequence++, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Moves both clocks forward and fires what comes due on the way. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`time goes forward only, got ${ms} ms; use shiftWall to move the wall clock back`);
    const end = this.#monotonic + ms;
    await settle();
    for (let timer = this.#next(); timer !== undefined && timer.dueAt <= end; timer = this.#next()) {
      this.#monotonic = Math.max(this.#monotonic, timer.dueAt);
      this.#timers.delete(timer);
      timer.callback();
      await settle();
    }
    this.#monotonic = end;
  }

  /** Jumps to the next timer and fires it and all others due at that moment; returns how far it jumped, undefined without timers. */
  async advanceToNext(): Promise<number | undefined> {
    await settle();
    const next = this.#next();
    if (next === undefined) return undefined;
    const ms = Math.max(0, next.dueAt - this.#monotonic);
    await this.advance(ms);
    return ms;
  }

  /** Sets the wall clock forward or back, as an administrator or a time server would. */
  shiftWall(ms: number): void {
    this.#wallOffset += ms;
  }

  /** How many timers are waiting, so that a test can show that none was left behind. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.dueAt < first.dueAt || (timer.dueAt === first.dueAt && timer.sequence < first.sequence))
        first = timer;
    }
    return first;
  }
}

/** Lets promise reactions run, including chains of them: a turn of the event loop comes after all microtasks. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
