import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Clock, systemClock } from '#clock/clock.ts';
import type { Credentials } from '#transport/credentials.ts';
import type { ResourceType } from '#transport/resource.ts';
import { type ApiCall, parseApiCall } from '../api-call.ts';
import { RequestLog } from '../request-log.ts';
import { isCrd, kindOfCrd } from './built-in.ts';
import { coreKinds } from './core-kinds.ts';
import { Deleter } from './deleter.ts';
import { discover } from './discovery.ts';
import { GarbageCollector } from './garbage.ts';
import { failureOf, handleResource, kindFor, type ResourceRequest, viewFor } from './handler.ts';
import { type Change, History } from './history.ts';
import { collectionKey, type ServedKind, type StoredObject } from './kind.ts';
import { type KindOptions, Kinds, servedKind } from './kinds.ts';
import { statusBody } from './refusal.ts';
import { WatchStream } from './watch-stream.ts';
import { type Admission, Writer } from './writer.ts';

export interface ApiFakeOptions {
  readonly clock?: Clock;
  /** Kinds to serve besides the built-in ones; a CRD created through the API adds its own. */
  readonly kinds?: readonly KindOptions[];
  /** Asked before every write, like an admission policy; a status returned refuses it. */
  readonly admit?: Admission;
  /** Off: owners, namespaces and CRDs are cleaned up only when `collectGarbage` is called. Default on. */
  readonly collectsGarbage?: boolean;
  /** Default one minute, as the real server. */
  readonly bookmarkEveryMs?: number;
  /** How a watch on a version too old is told. Default `event`, as the real server does. */
  readonly expiredAs?: 'event' | 'status';
}

/**
 * An API server in this process, for tests at unit speed: plain HTTP on a loopback port, objects in memory.
 *
 * Guarantees: held to the real server by the conformance suite of this folder's neighbour; a write and its consequences (garbage
 * collection) are complete before its answer is sent; resource versions are consecutive integers.
 * Assumptions: closed by the test that started it.
 * Caveats: no users and no rights; built-in kinds are not validated; no strategic merge patch, no CEL, no conversion, no kubelet.
 */
export class ApiFake {
  readonly #server: Server;
  readonly #history = new History();
  readonly #kinds = new Kinds();
  readonly #options: ApiFakeOptions;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #garbage: GarbageCollector;
  readonly #watches = new Set<WatchStream>();
  /** Every request so far, numbered. */
  readonly log = new RequestLog();

  private constructor(options: ApiFakeOptions) {
    this.#options = options;
    const parts = { history: this.#history, kinds: this.#kinds, clock: this.#clock, admit: options.admit ?? (() => undefined) };
    this.#writer = new Writer(parts);
    this.#deleter = new Deleter(parts, this.#writer);
    this.#garbage = new GarbageCollector({ ...parts, writer: this.#writer, deleter: this.#deleter });
    for (const kind of coreKinds) this.#kinds.add(kind);
    for (const kind of options.kinds ?? []) this.register(kind);
    this.#history.subscribe((change) => this.#onChange(change));
    for (const name of ['default', 'kube-system']) this.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    // Long enough that no client's idle connection is closed under its next request.
    const settings = { requestTimeout: 0, keepAliveTimeout: 300_000 };
    this.#server = createServer(settings, (request, response) => void this.#serve(request, response));
  }

  static async start(options: ApiFakeOptions = {}): Promise<ApiFake> {
    const fake = new ApiFake(options);
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get credentials(): Credentials {
    return { server: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` };
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#history.revision;
  }

  register(kind: KindOptions): void {
    this.#kinds.add(servedKind(kind));
  }

  /** Creates an object without a request. */
  seed(object: StoredObject): StoredObject {
    const kind = this.#kinds.findByKind(object.apiVersion, object.kind);
    if (kind === undefined)
      throw new Error(`the API fake does not serve ${object.apiVersion} ${object.kind}; register the kind first`);
    const { namespace } = object.metadata;
    return this.#writer.create(
      { kind, namespace, name: undefined, subresource: undefined, manager: 'seed', dryRun: false, strict: false },
      object,
    );
  }

  /** All objects of a kind right now, without a request. */
  objects(type: ResourceType): StoredObject[] {
    return [...this.#history.all(this.#served(type))];
  }

  /** Every change of a kind since the last compaction. */
  changes(type: ResourceType): Change[] {
    return this.#history.since(this.#served(type), this.#history.compactedTo);
  }

  /** Forgets changes up to a revision (default: all so far): older versions and continue tokens are answered with 410 from now on. */
  compact(revision?: number): void {
    this.#history.compact(revision);
  }

  collectGarbage(): void {
    this.#garbage.run();
  }

  /** How many watches are open on a kind, or on all. */
  openWatches(type?: ResourceType): number {
    return [...this.#watches].filter((watch) => type === undefined || watch.collection === collectionKey(type)).length;
  }

  sendBookmarks(): void {
    for (const watch of this.#watches) watch.sendBookmark();
  }

  /** Ends all watches as a server does on a timeout. */
  closeWatches(): void {
    for (const watch of [...this.#watches]) watch.close();
  }

  async close(): Promise<void> {
    this.closeWatches();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  #served(type: ResourceType): ServedKind {
    const kind = this.#kinds.find(type.group, type.version, type.plural);
    if (kind === undefined) throw new Error(`the API fake does not serve ${collectionKey(type)}; register the kind first`);
    return kind;
  }

  #onChange(change: Change): void {
    if (isCrd(change.kind)) this.#followCrd(change);
    this.#garbage.observe(change);
  }

  #followCrd({ type, object }: Change): void {
    const kind = kindOfCrd(object);
    if (type !== 'DELETED') {
      this.#kinds.add(kind);
      return;
    }
    this.#kinds.remove(kind.type);
    for (const watch of [...this.#watches]) if (watch.collection === collectionKey(kind.type)) watch.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    try {
      const call = parseApiCall(method, url);
      const entry = call === undefined ? undefined : this.log.request(call, request.headers['user-agent'] ?? '');
      response.once('finish', () => {
        if (entry !== undefined) entry.code = response.statusCode;
      });
      const kind = call === undefined ? undefined : kindFor({ kinds: this.#kinds }, call);
      if (call === undefined || kind === undefined) return this.#answerPath(response, new URL(url, 'http://api').pathname);
      if (call.verb === 'watch') return this.#watch(kind, call, request, response);
      const answer = handleResource(this.#parts(), kind, await read(call, request));
      if (this.#options.collectsGarbage !== false) this.#garbage.run();
      send(response, answer.code, answer.body);
    } catch (error) {
      const { status } = failureOf(error);
      send(response, status.code, statusBody(status));
    }
  }

  #parts() {
    return { history: this.#history, kinds: this.#kinds, writer: this.#writer, deleter: this.#deleter };
  }

  #answerPath(response: ServerResponse, path: string): void {
    const body = discover(this.#kinds, path);
    if (typeof body === 'object') send(response, 200, body);
    else response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(body ?? '404 page not found\n');
  }

  #watch(kind: ServedKind, { namespace, name, query }: ApiCall, request: IncomingMessage, response: ServerResponse): void {
    const settings = {
      clock: this.#clock,
      bookmarkEveryMs: this.#options.bookmarkEveryMs ?? 60_000,
      expiredAs: this.#options.expiredAs ?? 'event',
    };
    const view = viewFor(request.headers.accept ?? '');
    const watch = new WatchStream({ kind, namespace, name, query }, this.#history, view, settings);
    const first = watch.prepare();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#watches.add(watch);
    response.once('close', () => watch.close());
    const end = (): void => {
      this.#watches.delete(watch);
      response.end();
    };
    watch.open(first, (event) => response.write(`${JSON.stringify(event)}\n`), end);
  }
}

async function read(call: ApiCall, request: IncomingMessage): Promise<ResourceRequest> {
  const { accept = '', 'content-type': contentType = '', 'user-agent': userAgent = 'unknown' } = request.headers;
  return { call, accept, contentType, userAgent, text: await text(request) };
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
