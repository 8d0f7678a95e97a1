import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '#testing/fake-clock.ts';
import { ApiError } from '#transport/api-error.ts';
import type { ApiRequest, ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import type { ResourceType } from '#transport/resource.ts';
import { Informers } from './informers.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const kind = (plural: string): ResourceType => ({ group: 'example.com', version: 'v1', plural, namespaced: true });
const pathOf = (plural: string): string => `/apis/example.com/v1/${plural}`;
const minute = 60_000;
const hour = 60 * minute;

/** A server that serves what it is told to, counts what it is asked, and sends bookmarks every minute. */
class Server implements ApiTransport {
  readonly clock = new FakeClock();
  readonly asked: string[] = [];
  readonly served = new Set<string>();
  readonly defined = new Map<string, string>();
  readonly hidden: Error[] = [];
  mayWatchDefinitions = true;
  readonly #streams = new Set<{ readonly path: string; readonly lines: string[]; wake: () => void; isEnded: boolean }>();
  #version = 10;

  readonly informers = new Informers({
    api: this,
    clock: this.clock,
    observer: { definitionsHidden: (error) => void this.hidden.push(error) },
  });

  /** A definition comes, or changes. */
  define(plural: string): void {
    const type = this.defined.has(plural) ? 'MODIFIED' : 'ADDED';
    this.defined.set(plural, String(++this.#version));
    this.#send(definitions, type, this.#definition(plural));
  }

  /** A definition goes, and with it the kind and its watches. */
  undefine(plural: string): void {
    const metadata = { name: `${plural}.example.com`, resourceVersion: String(++this.#version) };
    this.defined.delete(plural);
    this.served.delete(pathOf(plural));
    this.#send(definitions, 'DELETED', { metadata });
    for (const stream of this.#streams) {
      stream.isEnded ||= stream.path === pathOf(plural);
      stream.wake();
    }
  }

  openWatches(path: string): number {
    return [...this.#streams].filter((stream) => stream.path === path).length;
  }

  count(what: string): number {
    return this.asked.filter((each) => each === what).length;
  }

  async request<T>({ path, method }: ApiRequest): Promise<T> {
    this.#ask(`${method} ${path}`, path);
    const items = path === definitions ? [...this.defined.keys()].map((plural) => this.#definition(plural)) : [];
    return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: String(++this.#version) }, items } as T;
  }

  async *streamBatches({ path, signal }: ApiRequest): AsyncGenerator<readonly string[]> {
    this.#ask(`WATCH ${path}`, path);
    const stream = { path, lines: [] as string[], wake: (): void => undefined, isEnded: false };
    this.#streams.add(stream);
    const end = (): void => stream.wake();
    signal?.addEventListener('abort', end);
    try {
      while (signal?.aborted !== true && !stream.isEnded) {
        const { promise, resolve } = Promise.withResolvers<void>();
        stream.wake = resolve;
        const cancel = this.clock.setTimeout(() => this.#bookmark(stream), minute);
        if (stream.lines.length === 0) await promise;
        cancel();
        if (stream.lines.length > 0) yield stream.lines.splice(0);
      }
    } finally {
      signal?.removeEventListener('abort', end);
      this.#streams.delete(stream);
    }
  }

  exchange = (): never => assert.fail('nobody exchanges');
  stream = (): never => assert.fail('watches are read in batches');

  #ask(what: string, path: string): void {
    this.asked.push(what);
    if (path === definitions ? this.mayWatchDefinitions : this.served.has(path)) return;
    throw new ApiError(path === definitions ? 403 : 404, undefined, what);
  }

  #definition(plural: string): KubeObject {
    const version = this.defined.get(plural) ?? '1';
    return {
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: { name: `${plural}.example.com`, resourceVersion: version },
    };
  }

  #bookmark(stream: { lines: string[]; wake: () => void }): void {
    stream.lines.push(JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(++this.#version) } } }));
    stream.wake();
  }

  #send(path: string, type: string, object: unknown): void {
    for (const stream of this.#streams) {
      if (stream.path !== path) continue;
      stream.lines.push(JSON.stringify({ type, object }));
      stream.wake();
    }
  }
}

function serve(t: TestContext): Server {
  const server = new Server();
  t.after(async () => {
    await server.informers.close();
    assert.equal(server.clock.pendingTimers, 0, 'a timer was left behind');
    assert.equal(server.openWatches(definitions), 0, 'the watch of definitions was left open');
  });
  return server;
}

test('kinds that are not there cost one watch of definitions, and no request however long they are not', async (t) => {
  const server = serve(t);
  const informers = ['apples', 'pears', 'plums'].map((plural) => server.informers.get(kind(plural)));
  server.informers.start();
  await server.clock.advance(10_000);
  assert.deepEqual(
    informers.map(({ served }) => served),
    [false, false, false],
  );
  const before = server.asked.length;
  assert.equal(before, 3 * 2 + 2, 'each is asked for twice, definitions are listed and watched once');
  await server.clock.advance(50 * minute);
  assert.deepEqual(server.asked.slice(before), []);
  assert.equal(server.openWatches(definitions), 1);
});

test('a kind joins when its definition says that it is served, and the watch of definitions ends with the last absent kind', async (t) => {
  const server = serve(t);
  const [apples, pears] = [server.informers.get(kind('apples')), server.informers.get(kind('pears'))];
  server.informers.start();
  await server.clock.advance(10 * minute);
  server.define('apples');
  await server.clock.advance(100);
  assert.equal(server.count(`GET ${pathOf('apples')}`), 3, 'it is asked for as soon as there is a definition');
  assert.equal(server.count(`GET ${pathOf('pears')}`), 2, 'a definition concerns nobody else');
  server.served.add(pathOf('apples'));
  server.define('apples');
  await server.clock.advance(2000);
  assert.deepEqual([apples.served, pears.served, server.openWatches(definitions)], [true, false, 1]);
  server.served.add(pathOf('pears'));
  server.define('pears');
  await server.clock.advance(2000);
  assert.deepEqual([pears.served, server.openWatches(definitions)], [true, 0]);
});

test('a kind whose definition was removed, and came again, is followed', async (t) => {
  const server = serve(t);
  server.define('apples');
  server.served.add(pathOf('apples'));
  const apples = server.informers.get(kind('apples'));
  server.informers.start();
  await server.clock.advance(minute);
  assert.deepEqual([apples.served, server.openWatches(definitions)], [true, 0]);
  server.undefine('apples');
  await server.clock.advance(10_000);
  assert.deepEqual([apples.served, server.openWatches(definitions)], [false, 1]);
  const before = server.asked.length;
  await server.clock.advance(30 * minute);
  assert.equal(server.asked.length, before);
  server.served.add(pathOf('apples'));
  server.define('apples');
  await server.clock.advance(2000);
  assert.deepEqual([apples.served, server.openWatches(definitions)], [true, 0]);
});

test('a definition that is there but not served is asked for ever more rarely', async (t) => {
  const server = serve(t);
  server.define('apples');
  server.informers.get(kind('apples'));
  server.informers.start();
  await server.clock.advance(hour);
  const asked = server.count(`GET ${pathOf('apples')}`);
  assert.ok(asked >= 15 && asked <= 25, `asked ${asked} times in an hour`);
});

test('a kind that comes another way, without a definition, is found within the hour', async (t) => {
  const server = serve(t);
  const apples = server.informers.get(kind('apples'));
  server.informers.start();
  await server.clock.advance(minute);
  server.served.add(pathOf('apples'));
  await server.clock.advance(hour);
  assert.equal(apples.served, true);
});

test('without the right to watch definitions the kind is asked for ever more rarely, and that is said once', async (t) => {
  const server = serve(t);
  server.mayWatchDefinitions = false;
  const apples = server.informers.get(kind('apples'));
  server.informers.get(kind('pears'));
  server.informers.start();
  await server.clock.advance(hour);
  assert.equal(server.hidden.length, 1);
  const asked = server.count(`GET ${pathOf('apples')}`);
  assert.ok(asked >= 12 && asked <= 25, `asked ${asked} times in an hour`);
  assert.ok(server.count(`GET ${definitions}`) <= 7, 'the right is tried for now and then');
  server.mayWatchDefinitions = true;
  await server.clock.advance(11 * minute);
  assert.equal(server.openWatches(definitions), 1);
  const before = server.count(`GET ${pathOf('apples')}`);
  await server.clock.advance(50 * minute);
  assert.equal(server.count(`GET ${pathOf('apples')}`), before);
  server.served.add(pathOf('apples'));
  server.define('apples');
  await server.clock.advance(2000);
  assert.equal(apples.served, true);
});
