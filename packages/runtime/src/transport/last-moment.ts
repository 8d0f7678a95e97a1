import type { Dispatcher } from 'undici';

/** Asks whether a request may go when it goes: after it was handed over it may still have to wait for a socket, for as long as that takes. */
export class LastMoment {
  readonly #ask: () => void;
  /** What the question threw, if it did. */
  refusal: unknown;

  constructor(ask: () => void) {
    this.#ask = ask;
  }

  /** Throws when the request may not go. */
  ask(): void {
    try {
      this.#ask();
    } catch (error) {
      this.refusal = error;
      throw error;
    }
  }

  /** The same sockets, with the question before the first byte. */
  before(agent: Dispatcher): Dispatcher {
    return agent.compose((dispatch) => (options, handler) => {
      const start = handler.onRequestStart?.bind(handler);
      // What is thrown here fails this request and leaves the socket to others.
      handler.onRequestStart = (controller, context) => {
        start?.(controller, context);
        this.ask();
      };
      return dispatch(options, handler);
    });
  }
}
