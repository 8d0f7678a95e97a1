import type { Clock } from '#clock/clock.ts';
import { Backoff } from './backoff.ts';
import type { KindDefinition } from './options.ts';

const longestBlindPauseMs = 8000;
/** With a definition, or where nobody may look for one. */
const longestPauseMs = 300_000;
/** Without a definition: an API server beside this one may bring the kind. */
const unannouncedMs = 3_600_000;
/** The first 404 may be a server that is still starting; the second is an answer. */
const believedAnswers = 2;

/** What is needed to wait for a kind. */
export interface AbsentKindOptions {
  readonly clock: Clock;
  readonly random?: () => number;
  readonly definition?: KindDefinition;
}

/**
 * When to ask again for a kind that the server does not serve.
 *
 * Guarantees: nobody asks while it is known that there is no definition, but for once an hour; a definition that comes or changes is answered by
 * asking again, soon and then ever more rarely, since a server serves a kind some time after its definition says so.
 */
export class AbsentKind {
  readonly #options: AbsentKindOptions;
  readonly #backoff: Backoff;
  #answers = 0;
  #unfollow: (() => void) | undefined;
  #wake: (() => void) | undefined;

  constructor(options: AbsentKindOptions) {
    const { definition, random = Math.random } = options;
    this.#options = options;
    this.#backoff = new Backoff({
      firstMs: 1000,
      capMs: definition === undefined ? longestBlindPauseMs : longestPauseMs,
      random,
    });
  }

  /** The server says that it does not serve the kind. True when that is to be believed, and was not before. */
  answered(): boolean {
    this.#answers++;
    this.#unfollow ??= this.#options.definition?.follow(() => {
      this.#backoff.reset();
      this.#wake?.();
    });
    return this.#answers === believedAnswers;
  }

  /** The server serves the kind, or nobody waits for it any more. */
  forget(): void {
    this.#answers = 0;
    this.#backoff.reset();
    this.#unfollow?.();
    this.#unfollow = undefined;
  }

  /** How long to wait if nothing is heard of the definition. */
  nextPauseMs(): number {
    return this.#isUndefined ? unannouncedMs : this.#backoff.next();
  }

  /** Waits until the kind may be served, for this long at most. Ends early, and never rejects, with the signal. */
  async rest(pauseMs: number, signal: AbortSignal): Promise<void> {
    for (let ms = pauseMs; ; ms = this.nextPauseMs()) {
      const isOver = await this.#nap(ms, signal);
      if (isOver || signal.aborted || !this.#isUndefined) return;
    }
  }

  get #isUndefined(): boolean {
    return this.#answers >= believedAnswers && this.#options.definition?.exists === false;
  }

  /** False when it was woken. */
  async #nap(ms: number, signal: AbortSignal): Promise<boolean> {
    const nap = new AbortController();
    const end = (): void => nap.abort();
    signal.addEventListener('abort', end, { once: true });
    if (this.#answers >= believedAnswers) this.#wake = end;
    const isOver = await this.#options.clock.sleep(ms, nap.signal).then(
      () => true,
      () => false,
    );
    this.#wake = undefined;
    signal.removeEventListener('abort', end);
    return isOver;
  }
}
