import { createReadStream, type ReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { byteRange } from './byte-range.ts';

/** How a disk is served. Everything left out is as it should be. */
export interface Behaviour {
  /** Answer this instead of the content. */
  readonly status?: number;
  /** Cut the connection after so many bytes of a body. */
  readonly cutAfterBytes?: number;
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
  readonly file: string;
  behaviour: Behaviour;
  requests: number;
  bytes: number;
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
  #running = 0;
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
    this.#disks.set(`/${name}`, { file, behaviour, requests: 0, bytes: 0 });
    return `${this.origin}/${name}`;
  }

  /** Requests under way go on as they began. */
  behave(name: string, behaviour: Behaviour): void {
    this.#disk(name).behaviour = behaviour;
  }

  traffic(name: string): Traffic {
    const { requests, bytes } = this.#disk(name);
    return { requests, bytes };
  }

  /** The most bodies that were being sent at the same time, of all disks together. */
  get mostDownloadsAtOnce(): number {
    return this.#most;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #disk(name: string): Disk {
    const disk = this.#disks.get(`/${name}`);
    if (disk === undefined) throw new TypeError(`no disk called ${name} is served`);
    return disk;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const disk = this.#disks.get((request.url ?? '/').split('?')[0]!);
    if (disk !== undefined) disk.requests++;
    const status = disk === undefined ? 404 : request.method === 'GET' || request.method === 'HEAD' ? disk.behaviour.status : 405;
    if (disk === undefined || status !== undefined) {
      response.writeHead(status ?? 404).end();
      return;
    }
    const { size } = statSync(disk.file);
    const range = byteRange(request.headers.range, size);
    if (range === 'unsatisfiable') {
      response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
      return;
    }
    const { start, end } = range ?? { start: 0, end: size - 1 };
    response.writeHead(range === undefined ? 200 : 206, {
      'content-type': 'application/octet-stream',
      'content-length': end - start + 1,
      'accept-ranges': 'bytes',
      ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
    });
    if (request.method === 'HEAD' || size === 0) {
      response.end();
      return;
    }
    this.#most = Math.max(this.#most, ++this.#running);
    try {
      await send(disk, createReadStream(disk.file, { start, end, highWaterMark: chunkBytes }), response);
    } catch {
      // Whoever asked went away, as an importer does that only wants to see whether the source is there.
      response.destroy();
    } finally {
      this.#running--;
    }
  }
}

async function send(disk: Disk, content: ReadStream, response: ServerResponse): Promise<void> {
  const { cutAfterBytes = Number.POSITIVE_INFINITY, bytesPerSecond } = disk.behaviour;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let sent = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, cutAfterBytes - sent);
    await written(response, part, gone.signal);
    sent += part.length;
    disk.bytes += part.length;
    if (sent >= cutAfterBytes) {
      response.destroy();
      return;
    }
    if (bytesPerSecond !== undefined) await delay((part.length / bytesPerSecond) * 1000, undefined, { signal: gone.signal });
  }
  response.end();
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
