import type { Clock } from '#clock/clock.ts';

const lifetimeMs = 60_000;
/** A login may have to ask a person. */
const patienceMs = 120_000;

/**
 * A bearer token that is read again when it is a minute old or was refused.
 *
 * Guarantees: one reading at a time, for all who wait; one that does not end fails all of them, so nobody waits for ever.
 */
export class Token {
  readonly #source: string | (() => Promise<string>) | undefined;
  readonly #clock: Clock;
  /** The promise, not its value: many requests that need a token at once cause one reading. */
  #current: { readonly value: Promise<string>; readAt: number } | undefined;

  constructor(source: string | (() => Promise<string>) | undefined, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Whether asking again can give another one. */
  get isRenewable(): boolean {
    return typeof this.#source === 'function';
  }

  async read(): Promise<string | undefined> {
    if (typeof this.#source !== 'function') return this.#source;
    const now = this.#clock.monotonic();
    if (this.#current === undefined || now - this.#current.readAt > lifetimeMs) this.#current = this.#begin(this.#source);
    const { value } = this.#current;
    try {
      return await value;
    } catch (error) {
      this.#refused(value);
      throw error;
    }
  }

  /** The server refused the token it was given: forget it, unless somebody else renewed it meanwhile. */
  async refused(token: string | undefined): Promise<void> {
    const current = this.#current;
    if (current !== undefined && (await current.value.catch(() => token)) === token) this.#refused(current.value);
  }

  /** Not old while it is read. */
  #begin(source: () => Promise<string>): { readonly value: Promise<string>; readAt: number } {
    const begunAt = this.#clock.monotonic();
    const reading = { value: this.#inTime(source), readAt: Number.POSITIVE_INFINITY };
    reading.value.then(
      () => {
        reading.readAt = begunAt;
      },
      () => undefined,
    );
    return reading;
  }

  async #inTime(source: () => Promise<string>): Promise<string> {
    const late = Promise.withResolvers<never>();
    const sentence = `no token for the API server within ${patienceMs / 1000} s: see what the login that the kubeconfig names (exec or auth-provider) waits for`;
    const cancel = this.#clock.setTimeout(() => late.reject(new Error(sentence)), patienceMs);
    try {
      return await Promise.race([source(), late.promise]);
    } finally {
      cancel();
    }
  }

  #refused(value: Promise<string>): void {
    if (this.#current?.value === value) this.#current = undefined;
  }
}
