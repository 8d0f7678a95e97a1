import type { IncomingHttpHeaders } from 'node:http';

/** Told what answers consist of, as their bytes come. */
export interface AnswerSink {
  head(code: number, headers: IncomingHttpHeaders): void;
  body(piece: Buffer): void;
  /** The answer is complete. `isLast`: no other can follow on this connection, because the server says so or has said something else already. */
  end(isLast: boolean): void;
}

type State = 'head' | 'sized' | 'chunk size' | 'chunk' | 'chunk end' | 'trailer' | 'until close';

/** For a head as well, warnings of an API server and all. */
const longestLine = 64 * 1024;
const protocol = 'HTTP/1.';
const lineEnd = '\r\n';
const headEnd = '\r\n\r\n';
const moreNeeded = -1;
const hexDigits = '0123456789abcdefABCDEF';
const mostHexDigits = 12;
/** Space, tab and semicolon. */
const afterSize: ReadonlySet<number> = new Set([0x20, 0x09, 0x3b]);

/**
 * Reads answers of HTTP/1.1 (RFC 9112) one after the other from the bytes of one connection.
 *
 * Guarantees: however the bytes are cut, the sink is told the same answers; a piece of a body is told when it comes, and pieces that the server
 * sent apart are told apart; what is not HTTP is thrown, and so is an answer that the connection's end cuts off.
 * Assumptions: no answer is one to HEAD or CONNECT.
 */
export class AnswerReader {
  readonly #sink: AnswerSink;
  #state: State = 'head';
  /** Bytes of this piece of the body that are still to come. */
  #left = 0;
  #isLast = false;
  #isStopped = false;
  #rest: Buffer | undefined;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Nothing is told any more. */
  stop(): void {
    this.#isStopped = true;
  }

  push(bytes: Buffer): void {
    const all = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = undefined;
    let at = 0;
    while (at < all.length && !this.#isStopped) {
      const next = this.#step(all, at);
      if (next === moreNeeded) {
        if (all.length - at > longestLine) throw new Error(`the answer has a line of more than ${longestLine} bytes`);
        this.#rest = all.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** The connection has ended. */
  close(): void {
    if (this.#isStopped) return;
    if (this.#state === 'until close') this.#end(false);
    else throw new Error('the server closed the connection before its answer was complete');
  }

  /** Where to go on, once what stands here has been told. */
  #step(all: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(all, at);
      case 'chunk size':
        return this.#readChunkSize(all, at);
      case 'chunk end':
        return this.#readChunkEnd(all, at);
      case 'trailer':
        return this.#readTrailer(all, at);
      case 'until close':
        this.#sink.body(at === 0 ? all : all.subarray(at));
        return all.length;
      case 'sized':
      case 'chunk':
        return this.#readBody(all, at);
    }
  }

  #readHead(all: Buffer, at: number): number {
    const end = all.indexOf(headEnd, at);
    if (end === -1) {
      // What will never be an answer is not waited for.
      refuseOther(all.toString('latin1', at, at + protocol.length));
      return moreNeeded;
    }
    const [statusLine = '', ...lines] = all.toString('latin1', at, end).split(lineEnd);
    const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(statusLine) ?? [];
    if (code === undefined) throw noHttp(statusLine);
    const next = end + headEnd.length;
    if (code === '101') throw new Error('the server wants to speak another protocol');
    // Only news that the answer is on its way.
    if (code.startsWith('1')) return next;
    const headers = parseHeaders(lines);
    this.#isLast = minor === '0' || hasToken(headers.connection, 'close');
    this.#state = this.#framing(Number(code), headers);
    this.#sink.head(Number(code), headers);
    if (this.#state === 'sized' && this.#left === 0) this.#end(next < all.length);
    return next;
  }

  /** How it can be known where the body ends. */
  #framing(code: number, headers: IncomingHttpHeaders): State {
    const { 'content-length': length, 'transfer-encoding': encoding } = headers;
    this.#left = 0;
    if (code === 204 || code === 304) return 'sized';
    if (encoding !== undefined) {
      if (`${encoding}`.toLowerCase() !== 'chunked')
        throw new Error(`the answer is encoded as "${encoding}", which is not understood`);
      return 'chunk size';
    }
    if (length === undefined) {
      this.#isLast = true;
      return 'until close';
    }
    if (!/^\d{1,15}$/.test(length)) throw new Error(`the answer has the length "${length}", which is no number`);
    this.#left = Number(length);
    return 'sized';
  }

  #readChunkSize(all: Buffer, at: number): number {
    const end = all.indexOf(lineEnd, at);
    if (end === -1) return moreNeeded;
    this.#left = readHex(all, at, end);
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    return end + lineEnd.length;
  }

  #readBody(all: Buffer, at: number): number {
    const end = Math.min(all.length, at + this.#left);
    this.#left -= end - at;
    const isChunk = this.#state === 'chunk';
    if (isChunk && this.#left === 0) this.#state = 'chunk end';
    this.#sink.body(at === 0 && end === all.length ? all : all.subarray(at, end));
    if (!isChunk && this.#left === 0) this.#end(end < all.length);
    return end;
  }

  #readChunkEnd(all: Buffer, at: number): number {
    if (all.length - at < lineEnd.length) return moreNeeded;
    if (all.toString('latin1', at, at + lineEnd.length) !== lineEnd)
      throw new Error('a piece of the answer is longer than it says');
    this.#state = 'chunk size';
    return at + lineEnd.length;
  }

  #readTrailer(all: Buffer, at: number): number {
    const end = all.indexOf(lineEnd, at);
    if (end === -1) return moreNeeded;
    const next = end + lineEnd.length;
    if (end === at) this.#end(next < all.length);
    return next;
  }

  #end(isFollowed: boolean): void {
    if (this.#isStopped) return;
    this.#state = 'head';
    this.#sink.end(this.#isLast || isFollowed);
  }
}

function refuseOther(beginning: string): void {
  if (!protocol.startsWith(beginning)) throw noHttp(beginning);
}

const noHttp = (said: string): Error => new Error(`the server does not speak HTTP/1.1: it said "${said.slice(0, 100)}"`);

/**
 * The length of a chunk. Digit by digit, because every event of a watch is one. What may stand behind a semicolon means nothing to anybody.
 */
function readHex(bytes: Buffer, from: number, end: number): number {
  let value = 0;
  let at = from;
  for (; at < end; at++) {
    const digit = hexDigits.indexOf(String.fromCharCode(bytes[at] as number));
    if (digit === -1) break;
    value = value * 16 + (digit > 15 ? digit - 6 : digit);
  }
  const isNumber = at > from && at - from <= mostHexDigits;
  const isWhole = at === end || afterSize.has(bytes[at] as number);
  if (!isNumber || !isWhole) throw new Error('a piece of the answer does not say how long it is');
  return value;
}

/** Names in lower case; one that is said several times has a list. */
function parseHeaders(lines: readonly string[]): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`the answer has a header that is none: "${line.slice(0, 100)}"`);
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = Object.hasOwn(headers, name) ? [headers[name] as string | string[], value].flat() : value;
  }
  return headers;
}

function hasToken(header: string | undefined, token: string): boolean {
  return (
    header !== undefined &&
    `${header}`
      .toLowerCase()
      .split(',')
      .some((part) => part.trim() === token)
  );
}
