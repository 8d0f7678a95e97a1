import { Flight } from './flight.ts';
import { openSocket, type Peer } from './open-socket.ts';
import { requestText } from './request-text.ts';
import type { AnswerHandler, Outgoing, Sender } from './sender.ts';
import { Wire, type WireOwner } from './wire.ts';

/** Before the other side closes an idle socket, an API server after 90 s: a request could cross that. */
const defaultIdleMs = 45_000;
/**
 * One that is always in use would otherwise live as long as the process: on the one server of several that was there when it was opened, and with
 * trust in a certificate that may have been replaced since.
 */
const defaultOldestMs = 600_000;

export interface SocketPoolOptions {
  /** Sockets there may be. */
  readonly most?: number;
  /** For how long there is one that is not used. */
  readonly idleMs?: number;
  /** How old one may become. */
  readonly oldestMs?: number;
}

/**
 * Sockets to one server, each for one request at a time, opened when they are needed and used again.
 *
 * What an API server is asked needs a small part of HTTP, and this is that part, in two thirds of the time a general client takes for a short
 * request (docs/decisions/0024-own-http-client.md).
 *
 * Guarantees: at most `most` sockets; requests go out in the order they were handed over; none is sent twice. A socket that cannot be opened fails
 * one request, so each request is told of a server that is away, and none waits for one that another was refused by. A request that was aborted
 * leaves nothing behind.
 * Caveats: an idle pool does not keep the process alive.
 */
export class SocketPool implements Sender, WireOwner {
  readonly #peer: Peer;
  readonly #host: string;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #oldestMs: number;
  readonly #wires = new Set<Wire>();
  readonly #opening = new Set<Wire>();
  readonly #idle: Wire[] = [];
  /** Free ones that are used two turns later. */
  #calledUp = 0;
  readonly #waiting: Flight[] = [];
  readonly #emptied = Promise.withResolvers<void>();
  #isDestroyed = false;

  constructor(peer: Peer, options: SocketPoolOptions = {}) {
    const { most = Number.POSITIVE_INFINITY, idleMs = defaultIdleMs, oldestMs = defaultOldestMs } = options;
    if (!(most >= 1)) throw new RangeError(`expected one socket or more, got ${most}`);
    this.#peer = peer;
    this.#host = new URL(peer.origin).host;
    this.#most = most;
    this.#idleMs = idleMs;
    this.#oldestMs = oldestMs;
  }

  dispatch(outgoing: Outgoing, handler: AnswerHandler): void {
    const flight = new Flight(handler, (dropped) => this.#drop(dropped));
    try {
      if (this.#isDestroyed) throw new Error('the connection is closed');
      flight.text = requestText(outgoing, this.#host);
    } catch (error) {
      handler.onResponseError(flight, error as Error);
      return;
    }
    handler.onWaiting?.(flight);
    this.#waiting.push(flight);
    const wire = this.#idle.pop();
    if (wire === undefined) this.#open();
    else this.#callUp(wire);
  }

  destroy(): Promise<void> {
    this.#isDestroyed = true;
    const closed = new Error('the connection was closed');
    for (const flight of this.#waiting.splice(0)) flight.handler.onResponseError(flight, closed);
    if (this.#wires.size === 0) this.#emptied.resolve();
    for (const wire of this.#wires) wire.close(closed);
    return this.#emptied.promise;
  }

  onReady(wire: Wire): void {
    this.#opening.delete(wire);
    this.#use(wire);
  }

  onFree(wire: Wire): void {
    if (performance.now() - wire.openedAt >= this.#oldestMs) wire.close();
    else if (this.#waiting.length > this.#calledUp) this.#callUp(wire);
    else this.#rest(wire);
  }

  onClosed(wire: Wire, error: Error | undefined): void {
    this.#wires.delete(wire);
    const at = this.#idle.indexOf(wire);
    if (at !== -1) this.#idle.splice(at, 1);
    if (this.#opening.delete(wire)) this.#refuse(error ?? new Error('the server closed the connection as soon as it was opened'));
    if (this.#isDestroyed && this.#wires.size === 0) this.#emptied.resolve();
    this.#open();
  }

  /**
   * Uses one that was used before, when all that came in until now has been looked at, the end of the socket too: some servers close one after each
   * answer, and what is written to it then is lost. After one turn of the event loop that may not be so, after two it is.
   */
  #callUp(wire: Wire): void {
    this.#calledUp++;
    const use = (): void => {
      this.#calledUp--;
      if (wire.isOpen) this.#use(wire);
      else this.#open();
    };
    setImmediate(() => setImmediate(use));
  }

  #use(wire: Wire): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) if (wire.send(next)) return;
    this.#rest(wire);
  }

  #rest(wire: Wire): void {
    this.#idle.push(wire);
    wire.rest();
  }

  /** As many as there are requests without one. */
  #open(): void {
    while (this.#opening.size + this.#calledUp < this.#waiting.length && this.#wires.size < this.#most && !this.#isDestroyed) {
      try {
        const wire = new Wire((onReady) => openSocket(this.#peer, onReady), this.#idleMs, this);
        this.#wires.add(wire);
        this.#opening.add(wire);
      } catch (error) {
        this.#refuse(error as Error);
      }
    }
  }

  #refuse(error: Error): void {
    const flight = this.#waiting.shift();
    flight?.handler.onResponseError(flight, error);
  }

  #drop(flight: Flight): void {
    const at = this.#waiting.indexOf(flight);
    if (at !== -1) this.#waiting.splice(at, 1);
    for (const wire of this.#opening) {
      if (this.#opening.size <= this.#waiting.length) break;
      this.#opening.delete(wire);
      wire.close();
    }
  }
}
