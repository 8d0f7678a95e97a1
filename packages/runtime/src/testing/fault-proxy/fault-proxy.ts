import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Clock, systemClock } from '#clock/clock.ts';
import type { Credentials } from '#transport/credentials.ts';
import { LineSplitter } from '#transport/lines.ts';
import { type ApiCall, parseApiCall } from '../api-call.ts';
import { type CallMatch, matchesCall, type RequestEntry, RequestLog } from '../request-log.ts';
import { type Exchange, runExchange } from './exchange.ts';
import { Gates } from './gates.ts';
import type { FaultPlan, RequestFault, WatchFault } from './plan.ts';
import { RuleBook } from './rule-book.ts';
import { watchInThePast } from './time-travel.ts';
import { forwarded, Upstream, type UpstreamRequest } from './upstream.ts';
import { expiredStatus, WatchRelay } from './watch-relay.ts';

export interface FaultProxyOptions {
  /** The real server, and the user as whom everything is forwarded. */
  readonly upstream: Credentials;
  readonly plan?: FaultPlan;
  /** Ends the client, for the fault `kill-client`; the proxy goes on when it has returned. */
  readonly kill?: (entry: RequestEntry) => void | Promise<void>;
  readonly clock?: Clock;
}

/**
 * Stands between a controller and an API server and makes go wrong what the plan says. Plain HTTP/1.1 on a loopback port to the client.
 *
 * Guarantees: every request and watch event has a number in `log`, in the order they passed; what the plan does not name is passed on unchanged;
 * a kill that is to happen before a request happens before the server hears of it, one after it after the server has answered.
 * Assumptions: closed by the test that started it.
 * Caveats: the client's own credentials are not passed on; `close-after` is the nearest thing HTTP/1.1 has to GOAWAY.
 */
export class FaultProxy {
  readonly #options: FaultProxyOptions;
  readonly #server: Server;
  readonly #upstream: Upstream;
  readonly #gates = new Gates();
  readonly #watches = new Map<number, { call: ApiCall; response: ServerResponse }>();
  readonly #closing = new AbortController();
  #rules: RuleBook;
  /** Every request and watch event so far, numbered. */
  readonly log = new RequestLog();

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#rules = this.#read(options.plan ?? { rules: [] });
    this.#upstream = new Upstream(options.upstream);
    // A watch lasts as long as client and server want; no timeout of ours may end it.
    this.#server = createServer(
      { requestTimeout: 0, keepAliveTimeout: 120_000 },
      (request, response) => void this.#serve(request, response),
    );
  }

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** What the client under test connects with. */
  get credentials(): Credentials {
    return { server: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` };
  }

  /** Replaces the plan; counting starts anew. Watches that are open get the new plan's event rules. */
  follow(plan: FaultPlan): void {
    this.#rules = this.#read(plan);
  }

  /** Lets everything pass that waits at this gate, now and later. */
  open(gate: string): void {
    this.#gates.open(gate);
  }

  /** How many watches clients have open through the proxy. */
  openWatches(match: CallMatch = {}): number {
    return [...this.#watches.values()].filter(({ call }) => matchesCall(match, call)).length;
  }

  /** Resets every connection, as a restart of the server or a broken network does. */
  disconnectAll(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the fault proxy is closed'));
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all([once(this.#server, 'close'), this.#upstream.close()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #read(plan: FaultPlan): RuleBook {
    if (this.#options.kill === undefined && plan.rules.some((rule) => rule.do.fault === 'kill-client')) {
      throw new TypeError('the plan kills the client, but the fault proxy was given no `kill` to do it with');
    }
    return new RuleBook(plan);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the client has gone')));
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    let entry: RequestEntry | undefined;
    try {
      const { method = 'GET', url = '/' } = request;
      const forward: UpstreamRequest = { method, url, headers: forwarded(request.headers), body: await buffer(request), signal };
      const call = parseApiCall(method, url);
      entry = call === undefined ? undefined : this.log.request(call, request.headers['user-agent'] ?? '');
      const rule = call === undefined ? undefined : this.#rules.forRequest(call);
      if (entry !== undefined) entry.fault = rule === undefined ? undefined : (rule.name ?? rule.do.fault);
      if (call?.verb === 'watch' && entry !== undefined && isOpened(rule?.do))
        await this.#watch(call, entry, forward, response, rule?.do);
      else await this.#exchange({ call, entry, forward, request, response, fault: rule?.do }, signal);
    } catch (error) {
      if (signal.aborted) return;
      // The server behind is gone, or the proxy is at fault; the client sees what it would see without a proxy, the log says why.
      if (entry !== undefined) Object.assign(entry, { code: 0, fault: `error: ${(error as Error).message}` });
      request.socket.resetAndDestroy();
    }
  }

  #exchange(exchange: Exchange, signal: AbortSignal): Promise<void> {
    const kill =
      this.#options.kill ?? (() => Promise.reject(new Error('the plan kills the client, but the proxy was given no way to')));
    return runExchange({ upstream: this.#upstream, clock: this.#clock, gates: this.#gates, signal, kill }, exchange);
  }

  async #watch(
    call: ApiCall,
    entry: RequestEntry,
    forward: UpstreamRequest,
    response: ServerResponse,
    fault: RequestFault | undefined,
  ): Promise<void> {
    const { signal } = forward;
    if (fault?.fault === 'expire' && fault.as === 'status') {
      entry.code = 410;
      response.writeHead(410, { 'content-type': 'application/json' }).end(JSON.stringify(expiredStatus));
      return;
    }
    if (fault?.fault === 'delay') await this.#clock.sleep(fault.ms, signal);
    if (fault?.fault === 'hold') await this.#gates.passed(fault.gate, signal);
    const past = fault?.fault === 'time-travel' ? fault : undefined;
    const { first, url } =
      past === undefined
        ? { first: [], url: forward.url }
        : await watchInThePast(this.#upstream, forward, call, past.resourceVersion);
    const reply = await this.#upstream.send({ ...forward, url });
    entry.code = reply.statusCode;
    response.writeHead(reply.statusCode, forwarded(reply.headers));
    if (reply.statusCode !== 200) {
      response.end(Buffer.from(await reply.body.arrayBuffer()));
      return;
    }
    response.flushHeaders();
    this.#watches.set(entry.number, { call, response });
    response.once('close', () => this.#watches.delete(entry.number));
    const relay = new WatchRelay({
      call,
      number: entry.number,
      response,
      log: this.log,
      clock: this.#clock,
      gates: this.#gates,
      signal,
      rules: () => this.#rules,
      fault: isWatchFault(fault) ? fault : undefined,
      past,
    });
    await relay.run(linesOf(first, reply.body));
  }

  get #clock(): Clock {
    return this.#options.clock ?? systemClock;
  }
}

const watchFaults: ReadonlySet<string> = new Set(['close-watch', 'blackhole', 'expire', 'lag']);
const isWatchFault = (fault: RequestFault | undefined): fault is WatchFault =>
  fault !== undefined && watchFaults.has(fault.fault);

/** Whether a watch is opened at all. Faults of a whole answer mean nothing to a stream and let it pass. */
function isOpened(fault: RequestFault | undefined): boolean {
  if (fault?.fault === 'kill-client') return fault.when !== 'before';
  return fault === undefined || !['refuse', 'answer', 'hang'].includes(fault.fault);
}

async function* linesOf(first: readonly string[], chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  yield* first;
  const splitter = new LineSplitter();
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}
