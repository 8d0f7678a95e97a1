import { Agent, type Dispatcher } from 'undici';
import type { Credentials } from '#transport/credentials.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

export interface WholeReply {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** Headers that belong to one connection and not to the message, and those the upstream decides on. */
const notForwarded = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'accept-encoding',
  'authorization',
]);

/** The server behind the proxy, asked as the user the proxy was given. */
export class Upstream {
  readonly #agent: Agent;
  readonly #credentials: Credentials;

  constructor(credentials: Credentials) {
    const { ca, cert, key, insecureSkipTlsVerify } = credentials;
    this.#credentials = credentials;
    this.#agent = new Agent({
      connect: {
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        ...(insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
      },
      allowH2: false,
      bodyTimeout: 0,
      headersTimeout: 0,
    });
  }

  /** The answer as it begins; its body is for the caller to read or destroy. */
  async send({ method, url, headers, body, signal }: UpstreamRequest): Promise<Dispatcher.ResponseData> {
    const { token, server } = this.#credentials;
    const bearer = typeof token === 'function' ? await token() : token;
    const kept = Object.entries(headers).filter(([name]) => !notForwarded.has(name));
    return this.#agent.request({
      origin: new URL(server).origin,
      path: new URL(server).pathname.replace(/\/$/, '') + url,
      method: method as Dispatcher.HttpMethod,
      headers: { ...Object.fromEntries(kept), ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
      body: body.length === 0 ? null : body,
      signal,
    });
  }

  /** The whole answer. */
  async exchange(request: UpstreamRequest): Promise<WholeReply> {
    const { statusCode, headers, body } = await this.send(request);
    return { code: statusCode, headers: forwarded(headers), body: Buffer.from(await body.arrayBuffer()) };
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Headers without those that belong to one connection. */
export function forwarded(headers: NodeJS.Dict<string | string[]>): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && !notForwarded.has(name)) kept[name] = value;
  return kept;
}
