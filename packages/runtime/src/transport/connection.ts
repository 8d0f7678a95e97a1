import { type Clock, systemClock } from '#clock/clock.ts';
import { Deadlines } from '#clock/deadlines.ts';
import type { Sender } from '#http/sender.ts';
import { toApiError, toResponse } from './answer.ts';
import type { ApiRequest, ApiResponse, ApiTransport } from './api-transport.ts';
import { awaitToken } from './await-token.ts';
import { Call } from './call.ts';
import type { Credentials } from './credentials.ts';
import { type Deadline, exchangePieces, exchangeText, type Head } from './exchange.ts';
import { LineSplitter } from './lines.ts';
import { NoAnswerError } from './no-answer-error.ts';
import { makeSenders } from './senders.ts';
import { Token } from './token.ts';

/** Told for metrics; must not throw. */
export interface TransportObserver {
  /** One request on the wire has its answer (for a stream: its headers), or never will: `code` is undefined then. */
  requestEnded?(request: ApiRequest, code: number | undefined, tookMs: number): void;
}

/** How a Connection presents itself, how long it waits, and who counts. */
export interface ConnectionOptions {
  /** Default `terrain`. */
  readonly userAgent?: string;
  /** Deadline of a request that names none; streams have none. Default 30 s. */
  readonly timeoutMs?: number;
  /** Sockets for requests. Default 32; watches have their own. */
  readonly maxSockets?: number;
  readonly clock?: Clock;
  readonly observer?: TransportObserver;
  /** Told of each piece of an answer or a stream that comes in. */
  readonly onPiece?: () => void;
}

const maxTries = 6;

/**
 * A pool of sockets to one API server, as one user.
 *
 * Guarantees: answers other than 2xx are thrown as ApiError, no answer as NoAnswerError; every call ends by its deadline or its signal. Only what
 * was certainly not carried out is sent again: a throttled request (429) after the time the server asked for, a read also after a 503 that names
 * a time, any request once after a 401 if a fresh token can be had. So no write is ever sent twice unnoticed.
 * Assumptions: the caller closes it.
 */
export class Connection implements ApiTransport, AsyncDisposable {
  readonly #credentials: Credentials;
  readonly #requests: Sender;
  readonly #streams: Sender;
  readonly #userAgent: string;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #observer: TransportObserver;
  readonly #onPiece: (() => void) | undefined;
  readonly #token: Token;
  readonly #prefix: string;
  readonly #origin: string;

  constructor(credentials: Credentials, options: ConnectionOptions = {}) {
    const url = new URL(credentials.server);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/$/, '');
    this.#credentials = credentials;
    this.#userAgent = options.userAgent ?? 'terrain';
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#clock = options.clock ?? systemClock;
    this.#deadlines = new Deadlines(this.#clock);
    this.#observer = options.observer ?? {};
    this.#onPiece = options.onPiece;
    this.#token = new Token(credentials.token, this.#clock);
    const { requests, streams } = makeSenders(credentials, options.maxSockets ?? 32);
    this.#requests = requests;
    this.#streams = streams;
  }

  async request<T>(request: ApiRequest): Promise<T> {
    return (await this.exchange<T>(request)).body;
  }

  async exchange<T>(request: ApiRequest): Promise<ApiResponse<T>> {
    const timeoutMs = request.timeoutMs ?? this.#timeoutMs;
    const [clock, deadlines] = [this.#clock, this.#deadlines];
    const endsAt = clock.monotonic() + timeoutMs;
    const late = (): Error => new NoAnswerError(request, `no answer within ${timeoutMs / 1000} s`, { isTimeout: true });
    for (let attempt = 1; ; attempt++) {
      const { head, text } = await this.#fetch(request, { clock, deadlines, endsAt, late });
      if (head.code < 300) return toResponse<T>(request, head.code, head.headers, text);
      const error = toApiError(request, head.code, head.headers, text);
      if (error.code === 401 && attempt === 1 && this.#token.isRenewable) continue;
      const waitMs =
        error.code === 429 ? (error.retryAfterMs ?? 1000) : request.method === 'GET' ? error.retryAfterMs : undefined;
      if ((error.code !== 429 && error.code !== 503) || waitMs === undefined || attempt >= maxTries) throw error;
      // There would be no answer in time, and nobody would know that the server asked to be left alone for so long.
      if (waitMs >= endsAt - this.#clock.monotonic()) throw error;
      await this.#clock.sleep(waitMs, request.signal);
    }
  }

  /**
   * Opens a stream (a watch, a log) and yields its lines until the server ends it.
   *
   * Caveats: no deadline; end it with the signal or by leaving the loop, both of which close the socket.
   */
  async *stream(request: ApiRequest): AsyncGenerator<string> {
    for await (const batch of this.streamBatches(request)) yield* batch;
  }

  async *streamBatches(request: ApiRequest): AsyncGenerator<readonly string[]> {
    const { signal } = request;
    const call = await this.#call(request, undefined);
    const splitter = new LineSplitter();
    const refusal: Buffer[] = [];
    const { beforeSend, onHead } = call;
    try {
      using pieces = exchangePieces(this.#streams, call.takeOutgoing(), { signal, beforeSend, onHead, onPiece: this.#onPiece });
      while (await pieces.hasMore()) {
        // One by one, so that several streams with news take turns: caches that advance together are of about the same time.
        for (let piece = pieces.take(); piece !== undefined; piece = pieces.take()) {
          if (call.head.code >= 300) refusal.push(piece);
          else yield splitter.push(piece);
        }
      }
    } catch (error) {
      throw call.failure(error, signal);
    }
    if (call.head.code === 401) this.#token.refused(call.token);
    if (call.head.code >= 300)
      throw toApiError(request, call.head.code, call.head.headers, Buffer.concat(refusal).toString('utf8'));
    const rest = splitter.end();
    if (rest.length > 0) yield rest;
  }

  /** Drops all sockets; requests under way fail. */
  async close(): Promise<void> {
    await Promise.all([this.#requests.destroy(), this.#streams.destroy()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #fetch(request: ApiRequest, deadline: Deadline): Promise<{ head: Head; text: string }> {
    const { signal } = request;
    const call = await this.#call(request, deadline);
    try {
      const text = await this.#ask(call, deadline, signal);
      if (call.head.code === 401) this.#token.refused(call.token);
      return { head: call.head, text };
    } catch (error) {
      throw call.failure(error, signal);
    }
  }

  /** Not by whoever waits for the answer: what a function holds when it begins to wait, it holds until the end of that. */
  #ask(call: Call, deadline: Deadline, signal: AbortSignal | undefined): Promise<string> {
    const { beforeSend, onHead } = call;
    return exchangeText(this.#requests, call.takeOutgoing(), { signal, deadline, beforeSend, onHead, onPiece: this.#onPiece });
  }

  async #call(request: ApiRequest, deadline: Deadline | undefined): Promise<Call> {
    // Nearly always it is there, and a wait with a deadline of its own would cost every request.
    const token = this.#token.isAtHand ? this.#token.atHand : await awaitToken(this.#token, request, deadline);
    const outgoing = {
      origin: this.#origin,
      path: this.#prefix + request.path + queryString(request.query),
      method: request.method,
      headers: this.#headers(request, token),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      reset: false,
    } as const;
    return new Call(request, token, outgoing, this.#clock, this.#observer);
  }

  #headers(request: ApiRequest, token: string | undefined): Record<string, string | string[]> {
    const { impersonate } = this.#credentials;
    return {
      accept: request.accept ?? 'application/json',
      'user-agent': this.#userAgent,
      ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(impersonate === undefined ? {} : { 'impersonate-user': impersonate.user }),
      ...(impersonate?.groups === undefined ? {} : { 'impersonate-group': [...impersonate.groups] }),
    };
  }
}

function queryString(query: ApiRequest['query']): string {
  let text = '';
  for (const name in query)
    if (query[name] !== undefined) text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(query[name])}`;
  return text;
}
