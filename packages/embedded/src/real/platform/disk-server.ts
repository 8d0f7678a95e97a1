import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, request as newRequest, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { byteRange } from './byte-range.ts';

/** How a disk is served. Everything left out is as it should be. */
export interface Behaviour {
  /** Answer this instead of the content. */
  readonly status?: number;
  /** Cut the connection after so many bytes of a body. */
  readonly cutAfterBytes?: number;
  /** Send so many bytes of a body, and the rest when this is taken back: a download that cannot be over before one has looked at it. */
  readonly holdAfterBytes?: number;
  readonly bytesPerSecond?: number;
}

/** What was asked for, and what was sent, since the disk was put there. */
export interface Traffic {
  readonly requests: number;
  /** Bytes of bodies that the kernel took from us. */
  readonly bytes: number;
}

export interface DiskServerOptions {
  /** The address to listen on. Pods reach the machine by the address of their bridge. */
  readonly host: string;
  /** Default: a free one. */
  readonly port?: number;
}

interface Disk {
  /** A file of this machine, or the origin of a server that is asked for it. */
  readonly source: { readonly file: string } | { readonly origin: string };
  behaviour: Behaviour;
  requests: number;
  bytes: number;
  /** Bodies that are being sent. */
  running: number;
  /** Those that wait for another behaviour. */
  readonly held: Set<() => void>;
}

const chunkBytes = 64 * 1024;

/**
 * Serves disk images over HTTP and counts what is downloaded; can misbehave on demand.
 *
 * Guarantees: a figure is never too low: what was counted as sent may still have been lost on the way.
 */
export class DiskServer {
  readonly origin: string;
  readonly #server: Server;
  readonly #disks = new Map<string, Disk>();
  readonly #listeners = new Set<() => void>();
  #most = 0;

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.origin = origin;
  }

  static async start({ host, port = 0 }: DiskServerOptions): Promise<DiskServer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    const started = new DiskServer(server, `http://${host}:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void started.#answer(request, response));
    return started;
  }

  /** Serves a file under a name; returns its address. A name used before is replaced and counts from nothing. */
  put(name: string, file: string, behaviour: Behaviour = {}): string {
    return this.#put(name, { file }, behaviour);
  }

  /** Passes requests for a name on to another server as they are, signatures included, and its answers back. */
  forward(name: string, origin: string, behaviour: Behaviour = {}): string {
    return this.#put(name, { origin }, behaviour);
  }

  /** Requests under way go on as they began, but those that are held look again. */
  behave(name: string, behaviour: Behaviour): void {
    const disk = this.#disk(name);
    disk.behaviour = behaviour;
    for (const look of disk.held) look();
  }

  /** Calls back whenever a figure has changed; returns how to end that. */
  onTraffic(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  traffic(name: string): Traffic {
    const { requests, bytes } = this.#disk(name);
    return { requests, bytes };
  }

  /** The most disks that were being sent at the same time. One importer asks for several parts at once; they count as one. */
  get mostDisksAtOnce(): number {
    return this.#most;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #put(name: string, source: Disk['source'], behaviour: Behaviour): string {
    this.#disks.set(`/${name}`, { source, behaviour, requests: 0, bytes: 0, running: 0, held: new Set() });
    return `${this.origin}/${name}`;
  }

  #disk(name: string): Disk {
    const disk = this.#disks.get(`/${name}`);
    if (disk === undefined) throw new TypeError(`no disk called ${name} is served`);
    return disk;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const disk = this.#disks.get((request.url ?? '/').split('?')[0]!);
    if (disk !== undefined) {
      disk.requests++;
      this.#tell();
    }
    const status = disk === undefined ? 404 : request.method === 'GET' || request.method === 'HEAD' ? disk.behaviour.status : 405;
    if (disk === undefined || status !== undefined) {
      response.writeHead(status ?? 404).end();
      return;
    }
    try {
      const body =
        'file' in disk.source
          ? ownBody(disk.source.file, request, response)
          : await foreignBody(disk.source.origin, request, response);
      if (body === undefined) response.end();
      else await this.#counted(disk, () => this.#send(disk, body, response));
    } catch {
      // Whoever asked went away, as an importer does that only wants to see whether the source is there.
      response.destroy();
    }
  }

  async #counted(disk: Disk, download: () => Promise<void>): Promise<void> {
    disk.running++;
    this.#most = Math.max(this.#most, [...this.#disks.values()].filter(({ running }) => running > 0).length);
    try {
      await download();
    } finally {
      disk.running--;
    }
  }

  async #send(disk: Disk, content: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
    const { cutAfterBytes = Number.POSITIVE_INFINITY, bytesPerSecond } = disk.behaviour;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    let sent = 0;
    for await (const chunk of content) {
      const part = chunk.subarray(0, cutAfterBytes - sent);
      await released(disk, sent + part.length, gone.signal);
      await written(response, part, gone.signal);
      sent += part.length;
      disk.bytes += part.length;
      this.#tell();
      if (sent >= cutAfterBytes) {
        response.destroy();
        return;
      }
      if (bytesPerSecond !== undefined) await delay((part.length / bytesPerSecond) * 1000, undefined, { signal: gone.signal });
    }
    response.end();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Answers for a file; returns the body to send, if there is one. */
function ownBody(file: string, request: IncomingMessage, response: ServerResponse): AsyncIterable<Buffer> | undefined {
  const { size } = statSync(file);
  const range = byteRange(request.headers.range, size);
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'content-range': `bytes */${size}` });
    return undefined;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range === undefined ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD' || size === 0) return undefined;
  return createReadStream(file, { start, end, highWaterMark: chunkBytes });
}

/** Answers as another server does. The host that was asked for stays, since a signature covers it. */
async function foreignBody(origin: string, request: IncomingMessage, response: ServerResponse): Promise<AsyncIterable<Buffer>> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const { method, headers } = request;
    newRequest(new URL(request.url ?? '/', origin), { method: method ?? 'GET', headers, agent: false }, resolve)
      .once('error', reject)
      .end();
  });
  response.once('close', () => answer.destroy());
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  return answer;
}

/** Nothing keeps a body from having so many bytes, or nobody is there any more. */
function released(disk: Disk, bytes: number, gone: AbortSignal): Promise<void> {
  const isFree = () => bytes <= (disk.behaviour.holdAfterBytes ?? Number.POSITIVE_INFINITY);
  if (isFree()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const leave = () => {
      disk.held.delete(look);
      reject(new Error('the connection was closed'));
    };
    const look = () => {
      if (!isFree()) return;
      disk.held.delete(look);
      gone.removeEventListener('abort', leave);
      resolve();
    };
    disk.held.add(look);
    gone.addEventListener('abort', leave, { once: true });
    if (gone.aborted) leave();
  });
}

/** The kernel has taken the bytes, or nobody is there any more. */
function written(response: ServerResponse, part: Buffer, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    gone.throwIfAborted();
    const leave = () => reject(new Error('the connection was closed'));
    gone.addEventListener('abort', leave, { once: true });
    response.write(part, (error) => {
      gone.removeEventListener('abort', leave);
      if (error) reject(error);
      else resolve();
    });
  });
}
