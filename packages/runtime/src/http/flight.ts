import type { AnswerHandler, Flow } from './sender.ts';
import type { Wire } from './wire.ts';

/** One request, from the moment it is handed over. */
export class Flight implements Flow {
  readonly handler: AnswerHandler;
  readonly #drop: (flight: Flight) => void;
  /** The one it is on. */
  wire: Wire | undefined;
  isAborted = false;
  #text = '';

  /** `drop` is called when it is aborted while it still waits for a wire. */
  constructor(handler: AnswerHandler, drop: (flight: Flight) => void) {
    this.handler = handler;
    this.#drop = drop;
  }

  /** How it goes out. */
  set text(text: string) {
    this.#text = text;
  }

  /** To be sent, once: it is not to be held for as long as the answer takes. */
  takeText(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  get paused(): boolean {
    return this.wire?.isPaused === true;
  }

  abort(): void {
    this.isAborted = true;
    if (this.wire === undefined) this.#drop(this);
    else this.wire.close();
  }

  pause(): void {
    this.wire?.pause();
  }

  resume(): void {
    this.wire?.resume();
  }
}
