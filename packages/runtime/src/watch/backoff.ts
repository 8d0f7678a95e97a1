/** Where the waits begin and where they stop growing. */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly capMs: number;
  /** A number in [0, 1), for the jitter. Default Math.random. */
  readonly random?: () => number;
}

/**
 * How long to wait after the n-th failure in a row.
 *
 * Guarantees: at least `firstMs` and at most 1.5 x `capMs`; doubles in between; never ends. The jitter only lengthens, so that `firstMs` is a
 * bound on the rate of retries, and a fleet that lost the same server does not come back in step.
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  get failures(): number {
    return this.#failures;
  }

  next(): number {
    const { firstMs, capMs, random = Math.random } = this.#options;
    const base = Math.min(capMs, firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures++;
    return base * (1 + random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
