/** How the wait after failures grows. */
export interface FailureLimiterOptions {
  /** Wait after the first failure. Default 100 ms. */
  readonly firstMs?: number;
  /** Longest wait. Default 5 minutes. */
  readonly capMs?: number;
  readonly random?: () => number;
}

/** Per key: each failure in a row doubles the wait before the next try, plus up to a tenth so that keys that failed together spread out. */
export class FailureLimiter {
  readonly #firstMs: number;
  readonly #capMs: number;
  readonly #random: () => number;
  readonly #failures = new Map<string, number>();

  constructor({ firstMs = 100, capMs = 300_000, random = Math.random }: FailureLimiterOptions = {}) {
    if (!(firstMs > 0 && capMs >= firstMs))
      throw new RangeError(`expected 0 < firstMs <= capMs, got firstMs ${firstMs} and capMs ${capMs}`);
    this.#firstMs = firstMs;
    this.#capMs = capMs;
    this.#random = random;
  }

  /** Counts a failure and returns how long to wait. */
  next(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return Math.min(this.#capMs, this.#firstMs * 2 ** Math.min(failures, 50)) * (1 + this.#random() / 10);
  }

  /** Failures in a row so far. */
  count(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}
