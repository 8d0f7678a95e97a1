import type { Clock } from '#clock/clock.ts';

const lifetimeMs = 60_000;

/** A bearer token that is read again when it is a minute old or was refused. */
export class Token {
  readonly #source: string | (() => Promise<string>) | undefined;
  readonly #clock: Clock;
  /** The promise, not its value: many requests that need a token at once cause one reading. */
  #current: { readonly value: Promise<string>; readonly readAt: number } | undefined;

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
    if (this.#current === undefined || now - this.#current.readAt > lifetimeMs)
      this.#current = { value: this.#source(), readAt: now };
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

  #refused(value: Promise<string>): void {
    if (this.#current?.value === value) this.#current = undefined;
  }
}
