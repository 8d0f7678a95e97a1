import type { Clock } from '#clock/clock.ts';

const lifetimeMs = 60_000;
/** A login may have to ask a person. */
const patienceMs = 120_000;

/** The promise and what came of it: many requests that need a token at once cause one reading, and later ones need not wait. */
interface Reading {
  readonly value: Promise<string>;
  text: string | undefined;
  readAt: number;
}

/**
 * A bearer token that is read again when it is a minute old or was refused.
 *
 * Guarantees: one reading at a time, for all who wait; one that does not end fails all of them, so nobody waits for ever.
 */
export class Token {
  readonly #source: string | (() => Promise<string>) | undefined;
  readonly #clock: Clock;
  #current: Reading | undefined;

  constructor(source: string | (() => Promise<string>) | undefined, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Whether asking again can give another one. */
  get isRenewable(): boolean {
    return typeof this.#source === 'function';
  }

  /** Whether nobody needs to wait: `atHand` is the token to use, or there is to be none. */
  get isAtHand(): boolean {
    if (typeof this.#source !== 'function') return true;
    return this.#current?.text !== undefined && !this.#isOld(this.#current);
  }

  get atHand(): string | undefined {
    return typeof this.#source === 'function' ? this.#current?.text : this.#source;
  }

  async read(): Promise<string | undefined> {
    if (typeof this.#source !== 'function') return this.#source;
    if (this.#current === undefined || this.#isOld(this.#current)) this.#current = this.#begin(this.#source);
    const { value } = this.#current;
    try {
      return await value;
    } catch (error) {
      if (this.#current?.value === value) this.#current = undefined;
      throw error;
    }
  }

  /** The server refused the token it was given: forget it, unless somebody else renewed it meanwhile, or is about to. */
  refused(token: string | undefined): void {
    if (token !== undefined && this.#current?.text === token) this.#current = undefined;
  }

  #isOld({ readAt }: Reading): boolean {
    return this.#clock.monotonic() - readAt > lifetimeMs;
  }

  /** Not old while it is read. */
  #begin(source: () => Promise<string>): Reading {
    const reading: Reading = { value: this.#inTime(source), text: undefined, readAt: Number.POSITIVE_INFINITY };
    reading.value.then(
      (text) => {
        reading.text = text;
        reading.readAt = this.#clock.monotonic();
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
}
