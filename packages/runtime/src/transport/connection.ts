import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { ApiError, type StatusBody } from './api-error.ts';
import type { ApiRequest, ApiResponse, ApiTransport } from './api-transport.ts';
import type { Credentials } from './credentials.ts';
import { LineSplitter } from './lines.ts';

export interface ConnectionOptions {
  readonly userAgent?: string;
  /** Deadline of a request that names none; streams have none. Default 30 s. */
  readonly timeoutMs?: number;
  /** Sockets for requests. Default 16; watches have their own. */
  readonly maxSockets?: number;
}

const maxTries = 6;
const tokenLifetimeMs = 60_000;

/**
 * A pool of sockets to one API server, as one user.
 *
 * Guarantees: answers other than 2xx are thrown as ApiError; every call ends by its deadline or its signal; 429 is retried after the time the
 * server asked for, since a throttled request was not carried out; nothing else is retried here, so no write is ever sent twice unnoticed.
 * Assumptions: the caller closes it.
 */
export class Connection implements ApiTransport {
  readonly #credentials: Credentials;
  readonly #requests: Agent;
  readonly #streams: Agent;
  readonly #userAgent: string;
  readonly #timeoutMs: number;
  readonly #prefix: string;
  readonly #origin: string;
  #token: { value: string; readAt: number } | undefined;

  constructor(credentials: Credentials, options: ConnectionOptions = {}) {
    const url = new URL(credentials.server);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/$/, '');
    this.#credentials = credentials;
    this.#userAgent = options.userAgent ?? 'terrain';
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    const connect = {
      ...(credentials.ca === undefined ? {} : { ca: credentials.ca }),
      ...(credentials.cert === undefined ? {} : { cert: credentials.cert }),
      ...(credentials.key === undefined ? {} : { key: credentials.key }),
      ...(credentials.insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
      keepAlive: true,
      timeout: 10_000,
    };
    // HTTP/1.1 for both: a watch owns its socket, so one slow reader never holds up another, and a dead socket is one dead watch.
    this.#requests = new Agent({ connect, connections: options.maxSockets ?? 16, allowH2: false, keepAliveTimeout: 60_000 });
    this.#streams = new Agent({ connect, allowH2: false, bodyTimeout: 0, headersTimeout: 60_000 });
  }

  /** Sends a request and returns the parsed body. */
  async request<T>(request: ApiRequest): Promise<T> {
    return (await this.exchange<T>(request)).body;
  }

  /** Sends a request and returns the answer with its warnings and the server's time. */
  async exchange<T>(request: ApiRequest): Promise<ApiResponse<T>> {
    const deadline = AbortSignal.timeout(request.timeoutMs ?? this.#timeoutMs);
    const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
    for (let attempt = 1; ; attempt++) {
      const response = await this.#dispatch(this.#requests, request, signal);
      const text = await response.body.text();
      if (response.statusCode < 300) return toResponse<T>(response, text);
      const error = toApiError(request, response, text);
      if (response.statusCode === 401 && attempt === 1 && typeof this.#credentials.token === 'function') {
        this.#token = undefined;
      } else if (response.statusCode === 429 && attempt < maxTries) {
        await delay(error.retryAfterMs ?? 1000, undefined, { signal });
      } else {
        throw error;
      }
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
    const response = await this.#dispatch(this.#streams, request, request.signal);
    if (response.statusCode >= 300) throw toApiError(request, response, await response.body.text());
    const splitter = new LineSplitter();
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) yield splitter.push(chunk);
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

  async #dispatch(agent: Agent, request: ApiRequest, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> {
    return agent.request({
      origin: this.#origin,
      path: this.#prefix + request.path + queryString(request.query),
      method: request.method,
      headers: await this.#headers(request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async #headers(request: ApiRequest): Promise<Record<string, string | string[]>> {
    const { impersonate } = this.#credentials;
    const token = await this.#readToken();
    return {
      accept: request.accept ?? 'application/json',
      'user-agent': this.#userAgent,
      ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(impersonate === undefined ? {} : { 'impersonate-user': impersonate.user }),
      ...(impersonate?.groups === undefined ? {} : { 'impersonate-group': [...impersonate.groups] }),
    };
  }

  async #readToken(): Promise<string | undefined> {
    const { token } = this.#credentials;
    if (typeof token !== 'function') return token;
    const now = performance.now();
    if (this.#token === undefined || now - this.#token.readAt > tokenLifetimeMs)
      this.#token = { value: await token(), readAt: now };
    return this.#token.value;
  }
}

function queryString(query: ApiRequest['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}

function toResponse<T>(response: Dispatcher.ResponseData, text: string): ApiResponse<T> {
  const { date } = response.headers;
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
  return {
    code: response.statusCode,
    // Health endpoints and logs answer with plain text; their callers ask for string.
    body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
    warnings: [response.headers.warning ?? []].flat().flatMap(parseWarnings),
    date: typeof date === 'string' ? new Date(date) : undefined,
  };
}

/** `299 - "text"`, several in one header separated by commas, quotes inside escaped by a backslash (RFC 7234). */
function parseWarnings(header: string): string[] {
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1'));
}

function toApiError(request: ApiRequest, response: Dispatcher.ResponseData, text: string): ApiError {
  const seconds = Number(response.headers['retry-after']);
  const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
  return new ApiError(response.statusCode, parseStatus(text), `${request.method} ${request.path}`, retryAfterMs);
}

function parseStatus(text: string): StatusBody | undefined {
  try {
    const body = JSON.parse(text) as StatusBody;
    return body.kind === 'Status' ? body : undefined;
  } catch {
    return text === '' ? undefined : { message: text.trim().slice(0, 500) };
  }
}
