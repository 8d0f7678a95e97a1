import type { IncomingHttpHeaders } from 'node:http';

/** What goes out. */
export interface Outgoing {
  readonly origin: string;
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | null;
  /** For undici. A DELETE with a body is nothing odd for an API server: its socket stays in use, and the next request needs no handshake. */
  readonly reset: false;
}

/** What a handler may do to the request it is told of. */
export interface Flow {
  readonly paused: boolean;
  /** Closes the socket, or keeps the request from being sent. Nothing more is told. */
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** Told of one request, in this order. Either of the last two ends it. */
export interface AnswerHandler {
  /** It waits for a socket. Not everybody tells. */
  onWaiting?(flow: Flow): void;
  /** Right before the first byte goes out. What it throws fails this request, and leaves the socket to others. */
  onRequestStart(flow: Flow): void;
  onResponseStart(flow: Flow, code: number, headers: IncomingHttpHeaders): void;
  onResponseData(flow: Flow, piece: Buffer): void;
  onResponseEnd(flow: Flow): void;
  onResponseError(flow: Flow, error: Error): void;
}

/** What sends requests: sockets of our own, or undici's where a proxy is in between. */
export interface Sender {
  dispatch(outgoing: Outgoing, handler: AnswerHandler): unknown;
  /** Drops all sockets; requests under way fail. */
  destroy(): Promise<void>;
}
