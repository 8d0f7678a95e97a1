import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

// Imported, it would evaluate all its exports, and some of them load Node's own fetch and WebSocket: 16 MiB that nobody here uses.
const { createServer } = process.getBuiltinModule('node:http');

/** Undefined when all is well, otherwise a sentence on what is not. */
export type HealthCheck = () => string | undefined;

/** Where probes are answered, and whether metrics are shown. */
export interface HealthServerOptions {
  /** Default 127.0.0.1; a pod needs 0.0.0.0 for its probes. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Served on `/metrics` where given. */
  readonly registry?: Registry;
  /** Asked for `/metrics` requests; false answers 403. Default: everybody may. */
  readonly mayReadMetrics?: (request: IncomingMessage) => boolean | Promise<boolean>;
}

/**
 * Answers the probes of a kubelet: `/healthz` while the process works, `/readyz` while it can do its job.
 *
 * Guarantees: not ready (503) before the first check was added and whenever one of them has something to say; the answer says which and what.
 */
export class HealthServer implements AsyncDisposable {
  readonly #options: HealthServerOptions;
  readonly #server: Server;
  readonly #readiness = new Map<string, HealthCheck>();
  readonly #liveness = new Map<string, HealthCheck>();

  constructor(options: HealthServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    // A probe must never keep the process alive.
    this.#server.unref();
  }

  addReadiness(name: string, check: HealthCheck): void {
    this.#readiness.set(name, check);
  }

  addLiveness(name: string, check: HealthCheck): void {
    this.#liveness.set(name, check);
  }

  /** Begins to listen; resolves with the port. */
  async listen(): Promise<number> {
    const { host = '127.0.0.1', port } = this.#options;
    this.#server.listen(port, host);
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      const words =
        (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'another program listens there' : (error as Error).message;
      throw new Error(`probes cannot be answered on ${host}:${port}: ${words}`, { cause: error });
    }
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, 'only GET is answered here\n');
    if (path === '/healthz') return this.#report(response, this.#liveness, true);
    if (path === '/readyz') return this.#report(response, this.#readiness, this.#readiness.size > 0);
    if (path === '/metrics' && this.#options.registry !== undefined)
      return this.#metrics(request, response, this.#options.registry);
    end(response, 404, 'served here: /healthz, /readyz and, where enabled, /metrics\n');
  }

  #report(response: ServerResponse, checks: ReadonlyMap<string, HealthCheck>, isDefault: boolean): void {
    const results = [...checks].map(([name, check]) => ({ name, problem: check() }));
    const isFine = isDefault && results.every(({ problem }) => problem === undefined);
    const lines = results.map(({ name, problem }) => (problem === undefined ? `[+] ${name}` : `[-] ${name}: ${problem}`));
    end(response, isFine ? 200 : 503, [...lines, isFine ? 'ok' : 'not ok', ''].join('\n'));
  }

  async #metrics(request: IncomingMessage, response: ServerResponse, registry: Registry): Promise<void> {
    const { mayReadMetrics = () => true } = this.#options;
    try {
      if (!(await mayReadMetrics(request))) return end(response, 403, 'these metrics are not for everybody\n');
      end(response, 200, await registry.metrics(), registry.contentType);
    } catch (error) {
      end(response, 500, `the metrics could not be collected: ${error instanceof Error ? error.message : error}\n`);
    }
  }
}

function end(response: ServerResponse, code: number, body: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(code, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
}
