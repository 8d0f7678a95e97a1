import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { AnswerReader, type AnswerSink } from './answer-reader.ts';
import type { Flight } from './flight.ts';

/** Told of one wire. */
export interface WireOwner {
  /** It is open, and can take its first request. */
  onReady(wire: Wire): void;
  /** It can take another request. */
  onFree(wire: Wire): void;
  /** It takes none any more. */
  onClosed(wire: Wire, error: Error | undefined): void;
}

/**
 * One socket, and the request on it.
 *
 * Guarantees: one request at a time; who is told of a request is told of its end once, unless he aborted it; an answer that nobody asked for, or that
 * has something behind it, is the last one on its socket.
 */
export class Wire implements AnswerSink {
  readonly openedAt = performance.now();
  readonly #socket: Socket;
  readonly #owner: WireOwner;
  readonly #reader = new AnswerReader(this);
  #flight: Flight | undefined;
  #error: Error | undefined;

  /** Closed when nothing was said for `idleMs` and nothing is asked. */
  constructor(open: (onReady: () => void) => Socket, idleMs: number, owner: WireOwner) {
    this.#owner = owner;
    this.#socket = open(() => {
      this.#socket.setTimeout(idleMs);
      owner.onReady(this);
    });
    this.#socket
      .on('data', (bytes: Buffer) => this.#read(bytes))
      // Not when all that was sent has been taken, which may be never.
      .on('end', () => this.#socket.destroy())
      .on('timeout', () => {
        if (this.#flight === undefined) this.close();
      })
      .on('error', (error) => {
        this.#error ??= error;
      })
      .on('close', () => this.#closed());
  }

  get isPaused(): boolean {
    return this.#socket.isPaused();
  }

  /** Whether a request can be sent on it. It is closed a moment before its owner is told. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** Sends a request, unless whoever is asked right before it goes says no: then it is over, and false. */
  send(flight: Flight): boolean {
    const { handler } = flight;
    try {
      handler.onRequestStart(flight);
    } catch (error) {
      handler.onResponseError(flight, error as Error);
      return false;
    }
    if (flight.isAborted) return false;
    this.#flight = flight;
    flight.wire = this;
    this.#socket.ref();
    this.#socket.write(flight.takeText());
    return true;
  }

  /** Nobody waits for it: it does not keep the process alive. */
  rest(): void {
    this.#socket.unref();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(error?: Error): void {
    // A socket that is closed already does not tell this one.
    this.#error ??= error;
    this.#reader.stop();
    this.#socket.destroy(error);
  }

  head(code: number, headers: IncomingHttpHeaders): void {
    const flight = this.#asked();
    flight.handler.onResponseStart(flight, code, headers);
  }

  body(piece: Buffer): void {
    const flight = this.#asked();
    flight.handler.onResponseData(flight, piece);
  }

  end(isLast: boolean): void {
    const flight = this.#asked();
    // A request that is not sent to its end leaves bytes behind that would be taken for the next one.
    const isReusable = !isLast && this.#socket.writableLength === 0 && this.isOpen;
    this.#leave(flight);
    try {
      flight.handler.onResponseEnd(flight);
    } finally {
      if (isReusable) this.#owner.onFree(this);
      else this.close();
    }
  }

  #read(bytes: Buffer): void {
    try {
      if (this.#flight === undefined) throw new Error('the server answered a request that nobody made');
      this.#reader.push(bytes);
    } catch (error) {
      this.close(error as Error);
    }
  }

  #closed(): void {
    const flight = this.#flight;
    this.#owner.onClosed(this, this.#error);
    if (flight === undefined || flight.isAborted) return;
    try {
      if (this.#error !== undefined) throw this.#error;
      this.#reader.close();
    } catch (error) {
      this.#leave(flight);
      flight.handler.onResponseError(flight, error as Error);
    }
  }

  #asked(): Flight {
    if (this.#flight === undefined) throw new Error('the server answered more than it was asked');
    return this.#flight;
  }

  #leave(flight: Flight): void {
    this.#flight = undefined;
    flight.wire = undefined;
    // The end of an answer may have come together with what there was no room for.
    if (this.isPaused) this.resume();
  }
}
