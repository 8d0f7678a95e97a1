import type { Clock } from '#clock/clock.ts';
import type { Outgoing } from '#http/sender.ts';
import type { ApiRequest } from './api-transport.ts';
import type { TransportObserver } from './connection.ts';
import type { Head } from './exchange.ts';
import { NoAnswerError, socketWords } from './no-answer-error.ts';

/** One request on its way: asked for leave at the last moment, told to the observer once, and its failure put into words. */
export class Call {
  /** What it was sent with. */
  readonly token: string | undefined;
  readonly #request: ApiRequest;
  readonly #observer: TransportObserver;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #outgoing: Outgoing | undefined;
  #head: Head | undefined;
  #refusal: { readonly reason: unknown } | undefined;

  constructor(request: ApiRequest, token: string | undefined, outgoing: Outgoing, clock: Clock, observer: TransportObserver) {
    request.beforeSend?.();
    this.#outgoing = outgoing;
    this.token = token;
    this.#request = request;
    this.#observer = observer;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** To be sent, once: its text is not to be held for as long as the answer takes. */
  takeOutgoing(): Outgoing {
    const outgoing = this.#outgoing;
    if (outgoing === undefined) throw new Error('the request was handed over before');
    this.#outgoing = undefined;
    return outgoing;
  }

  /** Of the answer, once there is one. */
  get head(): Head {
    if (this.#head === undefined) throw new NoAnswerError(this.#request, 'the answer has no head');
    return this.#head;
  }

  /** Asked again when it goes: after it was handed over it may still have to wait for a socket, for as long as that takes. */
  readonly beforeSend = (): void => {
    try {
      this.#request.beforeSend?.();
    } catch (error) {
      this.#refusal = { reason: error };
      throw error;
    }
  };

  readonly onHead = (head: Head): void => {
    this.#head = head;
    this.#tell(head.code);
  };

  /** Whoever aborted or refused gets his own reason back, and who was late is told so; everything else is a socket that broke. */
  failure(error: unknown, signal: AbortSignal | undefined): unknown {
    if (this.#head === undefined) this.#tell(undefined);
    if (this.#refusal !== undefined) return this.#refusal.reason;
    if (signal?.aborted === true) return signal.reason;
    if (error instanceof NoAnswerError) return error;
    return new NoAnswerError(this.#request, socketWords(error), { cause: error });
  }

  #tell(code: number | undefined): void {
    this.#observer.requestEnded?.(this.#request, code, this.#clock.monotonic() - this.#startedAt);
  }
}
