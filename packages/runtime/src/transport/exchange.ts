import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '#clock/clock.ts';

/** The head of an answer. */
export interface Head {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
}

/** What goes out. */
export interface Outgoing {
  readonly origin: string;
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Record<string, string | string[]>;
  readonly body: string | null;
  /** A DELETE with a body is nothing odd for an API server: its socket stays in use, and the next request needs no handshake. */
  readonly reset: false;
}

/** When it is too late for an answer, by the clock's monotonic time, and what is said then. */
export interface Deadline {
  readonly clock: Clock;
  readonly endsAt: number;
  readonly late: () => Error;
}

/** How long it may take, and who is asked and told. */
export interface ExchangeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly deadline?: Deadline | undefined;
  /** Called right before the first byte goes out. What it throws fails the request, and nothing is sent. */
  readonly beforeSend?: (() => void) | undefined;
  readonly onHead: (head: Head) => void;
  readonly onPiece?: (() => void) | undefined;
}

/** An answer as it comes. To dispose of it closes the socket of one that is not complete. */
export interface Pieces extends Disposable {
  /** The next piece, if it is there. */
  take(): Buffer | undefined;
  /** Resolves when there is something to take, with false when there will be nothing any more; rejects when the answer broke off. */
  hasMore(): Promise<boolean>;
}

type Controller = Dispatcher.DispatchController;

/**
 * One request on a socket, and its answer as it comes in: without the streams in between, which make up a third of what a short request costs.
 *
 * Guarantees: ends when the answer is complete, the socket breaks, the time is up or the signal is aborted, also while the request waits for a
 * socket; after that nothing is sent.
 */
abstract class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #onAbort = (): void => this.#stop(this.#options.signal?.reason);
  #controller: Controller | undefined;
  #cancelDeadline: (() => void) | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  protected isOver = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Hands the request over. */
  send(agent: Dispatcher, outgoing: Outgoing): void {
    const { signal, deadline } = this.#options;
    if (signal?.aborted === true) {
      this.#onAbort();
      return;
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (deadline !== undefined) this.#arm(deadline);
    // A write that nobody waits for any more must not go out.
    if (!this.isOver) agent.dispatch(outgoing, this);
  }

  /** A timer, and no signal that fires for both: that would be a controller and two listeners more for each request. */
  #arm({ clock, endsAt, late }: Deadline): void {
    const leftMs = endsAt - clock.monotonic();
    if (leftMs > 0) this.#cancelDeadline = clock.setTimeout(() => this.#stop(late()), leftMs);
    else this.#stop(late());
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#stopped !== undefined) controller.abort(asError(this.#stopped.reason));
    // What is thrown here fails this request and leaves the socket to others.
    else this.#options.beforeSend?.();
  }

  onResponseStart(_controller: Controller, code: number, headers: IncomingHttpHeaders): void {
    if (code < 200 || this.isOver) return;
    this.#options.onHead({ code, headers });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#options.onPiece?.();
    this.came(chunk, controller);
  }

  onResponseEnd(): void {
    if (!this.isOver) this.#end();
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (!this.isOver) this.#end({ reason: error });
  }

  /** Closes the socket, or never opens it. */
  protected leave(): void {
    if (!this.isOver) this.#stop(new Error('the answer is not read any more'));
  }

  protected resume(): void {
    if (this.#controller?.paused === true) this.#controller.resume();
  }

  protected abstract came(chunk: Buffer, controller: Controller): void;

  /** The answer is complete, or there will be none for a reason. */
  protected abstract ended(failure: { readonly reason: unknown } | undefined): void;

  #stop(reason: unknown): void {
    if (this.isOver) return;
    this.#stopped = { reason };
    this.#end(this.#stopped);
    this.#controller?.abort(asError(reason));
  }

  #end(failure?: { readonly reason: unknown }): void {
    this.isOver = true;
    this.#cancelDeadline?.();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.ended(failure);
  }
}

class TextExchange extends Exchange {
  readonly #text = Promise.withResolvers<string>();
  readonly #chunks: Buffer[] = [];

  get text(): Promise<string> {
    return this.#text.promise;
  }

  protected came(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  protected ended(failure: { readonly reason: unknown } | undefined): void {
    try {
      if (failure === undefined) this.#text.resolve(this.#whole().toString('utf8'));
      else this.#text.reject(failure.reason);
    } catch (error) {
      // Longer than a text can be. Nobody else would hear of it: for the socket the answer is complete.
      this.#text.reject(error);
    }
  }

  #whole(): Buffer {
    const [first] = this.#chunks;
    return first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
  }
}

/** Bytes that may wait for their reader before the socket is told to stop. */
const mostWaiting = 1024 * 1024;

class PieceExchange extends Exchange implements Pieces {
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #failure: { readonly reason: unknown } | undefined;
  #wake: () => void = () => undefined;

  protected came(chunk: Buffer, controller: Controller): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > mostWaiting) controller.pause();
    this.#wake();
  }

  take(): Buffer | undefined {
    const piece = this.#waiting.shift();
    if (piece === undefined) return undefined;
    this.#waitingBytes -= piece.length;
    if (this.#waitingBytes <= mostWaiting) this.resume();
    return piece;
  }

  async hasMore(): Promise<boolean> {
    while (this.#waiting.length === 0 && !this.isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#waiting.length === 0 && this.#failure !== undefined) throw this.#failure.reason;
    return this.#waiting.length > 0;
  }

  [Symbol.dispose](): void {
    this.leave();
  }

  protected ended(failure: { readonly reason: unknown } | undefined): void {
    this.#failure = failure;
    this.#wake();
  }
}

/** Sends a request; resolves with the text of its answer once that is complete. */
export function exchangeText(agent: Dispatcher, outgoing: Outgoing, options: ExchangeOptions): Promise<string> {
  const exchange = new TextExchange(options);
  exchange.send(agent, outgoing);
  return exchange.text;
}

/** Sends a request whose answer is read piece by piece. */
export function exchangePieces(agent: Dispatcher, outgoing: Outgoing, options: ExchangeOptions): Pieces {
  const exchange = new PieceExchange(options);
  exchange.send(agent, outgoing);
  return exchange;
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
