import type { Clock } from '#clock/clock.ts';

/** When what comes in counts as a crowd, and how the process rests then. */
export interface FramesOptions {
  readonly clock: Clock;
  /** More than so many pieces a second are a crowd; one is over when there are less than half of that. Default 150. */
  readonly crowdPerSecond?: number;
  /** Least time from one frame to the next in a crowd. Default 160 ms. */
  readonly frameMs?: number;
  /** Stops the whole process for so long. */
  readonly rest?: (ms: number) => void;
  /** Calls back when the event loop has done what it knows of. */
  readonly afterTurn?: (callback: () => void) => void;
}

const secondMs = 1000;
/** So that a crowd near the bound does not come and go each second. */
const crowdOverBelow = 1 / 2;
/** What comes in may cause a request, and that goes out two turns later (SocketPool). */
const turnsToAct = 2;

/**
 * Lets a process that is asked a lot work in frames: it rests for a moment, then reads all that came meanwhile, answers and
 * events alike, and works through it.
 *
 * To be woken for each piece costs several times what the piece itself needs (docs/decisions/0022-frames.md).
 *
 * Guarantees: below a crowd nothing ever rests; a frame that had work for its whole time is followed by the next at once, so a process that has more
 * to do than it can is not held up; nobody rests while something that came in waits to be looked at.
 * Assumptions: the process does nothing but what is asked of it through the pieces that are counted here.
 * Caveats: everything else in the process, timers and probes too, may come a frame late. Whether there is a crowd is known a second after it began.
 */
export class Frames {
  readonly #clock: Clock;
  readonly #crowdPerSecond: number;
  readonly #frameMs: number;
  readonly #rest: (ms: number) => void;
  readonly #afterTurn: (callback: () => void) => void;
  readonly #turnEnded = (): void => this.#endTurn();
  #isCrowd = false;
  #countedSince: number;
  #counted = 0;
  /** Turns that ended since something came in. */
  #quietTurns = 0;
  #isWatching = false;
  #frameAt = Number.NEGATIVE_INFINITY;

  constructor({ clock, crowdPerSecond = 150, frameMs = 160, rest = restProcess(), afterTurn = setImmediate }: FramesOptions) {
    this.#clock = clock;
    this.#crowdPerSecond = crowdPerSecond;
    this.#frameMs = frameMs;
    this.#rest = rest;
    this.#afterTurn = afterTurn;
    this.#countedSince = clock.monotonic();
  }

  /** A piece of something came in. */
  readonly arrived = (): void => {
    // In a crowd, the first of those that come in one turn looks at the time.
    if (!this.#isWatching) this.#judge();
    this.#counted++;
    this.#quietTurns = 0;
    if (!this.#isCrowd || this.#isWatching) return;
    this.#isWatching = true;
    this.#afterTurn(this.#turnEnded);
  };

  #endTurn(): void {
    if (this.#quietTurns++ < turnsToAct) {
      this.#afterTurn(this.#turnEnded);
      return;
    }
    this.#isWatching = false;
    const restMs = this.#frameAt + this.#frameMs - this.#clock.monotonic();
    if (restMs > 0) this.#rest(restMs);
    this.#frameAt = this.#clock.monotonic();
  }

  /** Whether there is a crowd, once a second is over. */
  #judge(): void {
    const now = this.#clock.monotonic();
    const elapsedMs = now - this.#countedSince;
    if (elapsedMs < secondMs) return;
    const least = this.#isCrowd ? this.#crowdPerSecond * crowdOverBelow : this.#crowdPerSecond;
    this.#isCrowd = (this.#counted * secondMs) / elapsedMs > least;
    this.#counted = 0;
    this.#countedSince = now;
  }
}

/** By the kernel, without a wake-up in between. */
function restProcess(): (ms: number) => void {
  const nobodyWakes = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  return (ms) => void Atomics.wait(nobodyWakes, 0, 0, ms);
}
