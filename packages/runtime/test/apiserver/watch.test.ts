import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { newTestCluster, type TestCluster, testCluster } from '@terrain/embedded/testing';
import {
  type ApiRequest,
  type ApiTransport,
  Connection,
  Informers,
  type KubeObject,
  Resource,
  type ResourceType,
  systemClock,
} from '@terrain/runtime';
import { until } from '../until.ts';
import { customKind, installKind, removeKind, type Sample, sample } from './custom-kind.ts';

const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const map = (name: string, namespace: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
});

/** Informers on a connection that counts watches: opened in all, and open right now. */
function watching(t: TestContext, cluster: TestCluster) {
  const connection = new Connection(cluster.credentials, { userAgent: 'runtime-test' });
  const opened: number[] = [];
  let openNow = 0;
  let lists = 0;
  let line: AbortController | undefined = new AbortController();
  const api: ApiTransport = {
    request: (request) => {
      // A list of one object asks how new the server is.
      if (request.query?.limit !== 1) lists++;
      return connection.request(request);
    },
    exchange: (request) => connection.exchange(request),
    stream: (request) => connection.stream(request),
    async *streamBatches(request: ApiRequest) {
      if (line === undefined) throw new Error('the line is cut');
      opened.push(systemClock.monotonic());
      openNow++;
      try {
        const signal = AbortSignal.any([line.signal, ...(request.signal === undefined ? [] : [request.signal])]);
        yield* connection.streamBatches({ ...request, signal });
      } finally {
        openNow--;
      }
    },
  };
  const cut = (): void => {
    line?.abort(new Error('the line is cut'));
    line = undefined;
  };
  const mend = (): void => {
    line = new AbortController();
  };
  const failures: string[] = [];
  const informers = new Informers({
    api,
    clock: systemClock,
    observer: { watchFailure: (_, error) => failures.push(`${error.name}: ${error.message}`) },
  });
  t.after(async () => {
    await informers.close();
    await connection.close();
  });
  return { informers, failures, opened, cut, mend, openNow: () => openNow, lists: () => lists };
}

test('a list of several pages is complete, and events follow it', async (t) => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace();
  const maps = new Resource<KubeObject>(cluster.connection(), configMaps);
  const names = Array.from({ length: 1100 }, (_, n) => `map-${n}`);
  for (let n = 0; n < names.length; n += 50)
    await Promise.all(names.slice(n, n + 50).map((name) => maps.create(map(name, namespace, { app: 'paged' }))));
  const { informers, lists } = watching(t, cluster);
  // By label: where a controller-manager runs, it adds a ConfigMap of its own to every namespace.
  const informer = informers.get(configMaps, { namespace, labelSelector: 'app=paged' });
  let half = false;
  informer.onChange((_, { initial }) => {
    half ||= initial && informer.store.size < 1100;
  });
  informers.start();
  await informers.synced();
  assert.equal(lists(), 3);
  assert.equal(informer.store.size, 1100);
  assert.equal(half, false, 'a handler saw half a list');
  await maps.create(map('later', namespace, { app: 'paged' }));
  await until('later object', () => informer.store.get(`${namespace}/later`) !== undefined);
});

test('selectors and metadata only work on the real server as in the API', async (t) => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace();
  const maps = new Resource<KubeObject & { data?: object }>(cluster.connection(), configMaps);
  await maps.create({ ...map('in', namespace, { app: 'x' }), data: { a: '1' } });
  await maps.create(map('out', namespace, { app: 'y' }));
  const { informers } = watching(t, cluster);
  const labelled = informers.get<KubeObject & { data?: object }>(configMaps, { namespace, labelSelector: 'app in (x,z)' });
  const named = informers.get(configMaps, { namespace, fieldSelector: 'metadata.name=out' });
  const slim = informers.get<KubeObject & { data?: object }>(configMaps, { namespace, metadataOnly: true });
  const nothing = informers.get(configMaps, { namespace, metadataOnly: true, labelSelector: 'app=nobody' });
  informers.start();
  await informers.synced();
  assert.equal(nothing.store.size, 0);
  assert.deepEqual(
    [...labelled.store.values()].map(({ metadata }) => metadata.name),
    ['in'],
  );
  assert.deepEqual(
    [...named.store.values()].map(({ metadata }) => metadata.name),
    ['out'],
  );
  assert.equal(slim.store.get(`${namespace}/in`)?.data, undefined);
  assert.equal(slim.store.get(`${namespace}/in`)?.metadata.labels?.app, 'x');
  assert.equal(labelled.store.get(`${namespace}/in`)?.kind, 'ConfigMap');
  await maps.mergePatch({ namespace, name: 'in' }, { metadata: { labels: { app: 'gone' } } });
  await until('leaving object', () => labelled.store.size === 0);
  for (const informer of [labelled, named, slim])
    for (const object of informer.store.values()) assert.equal(informer.covers(object), true);
});

test('a kind whose CRD comes later joins; when the CRD goes, its objects are gone; and it can come again', async (t) => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace();
  const api = cluster.connection();
  const late = customKind('latecomers');
  const { informers } = watching(t, cluster);
  const informer = informers.get<Sample>(late.type);
  informers.start();
  await informers.synced();
  assert.equal(informer.served, false);
  await installKind(api, late);
  const resource = new Resource<Sample>(api, late.type);
  await resource.create(sample(late, 'a', namespace));
  await until('first object', () => informer.store.size === 1);
  assert.equal(informer.served, true);
  await removeKind(api, late);
  await until('empty cache', () => informer.store.size === 0 && informer.served === false);
  await installKind(api, late);
  await resource.create(sample(late, 'b', namespace));
  await until('object of the second coming', () => informer.store.get(`${namespace}/b`) !== undefined);
});

test('a server that crashes is followed when it is back: nothing is missed, one watch per kind, one opening a second', async (t) => {
  const cluster = await newTestCluster();
  t.after(() => cluster.stop());
  const namespace = await cluster.namespace();
  const custom = customKind('survivors');
  await installKind(cluster.connection(), custom);
  const maps = new Resource<KubeObject>(cluster.connection(), configMaps);
  const samples = new Resource<Sample>(cluster.connection(), custom.type);
  for (const name of ['stays', 'goes']) {
    await maps.create(map(name, namespace));
    await samples.create(sample(custom, name, namespace));
  }
  const { informers, opened, openNow, failures } = watching(t, cluster);
  const held = [informers.get(configMaps, { namespace }), informers.get<Sample>(custom.type)] as const;
  const deleted: string[] = [];
  for (const informer of held) informer.onChange((change) => change.type === 'deleted' && deleted.push(change.key));
  informers.start();
  await informers.synced();
  for (let round = 1; round <= 2; round++) {
    await cluster.restartApiServer('SIGKILL');
    const readyAt = systemClock.monotonic();
    const victim = round === 1 ? 'goes' : 'born-1';
    await until('writes to be taken', () =>
      samples.delete({ namespace, name: victim }).then(
        () => true,
        () => false,
      ),
    );
    await maps.delete({ namespace, name: victim });
    await maps.create(map(`born-${round}`, namespace));
    await samples.create(sample(custom, `born-${round}`, namespace));
    await until('catching up', () =>
      held.every(
        ({ store }) => store.get(`${namespace}/born-${round}`) !== undefined && store.get(`${namespace}/${victim}`) === undefined,
      ),
    );
    const tookMs = systemClock.monotonic() - readyAt;
    t.diagnostic(`caught up ${Math.round(tookMs)} ms after the server was ready; failures so far: ${failures.length}`);
    assert.ok(tookMs <= 10_000, `${tookMs} ms`);
  }
  assert.deepEqual(deleted.toSorted(), [`${namespace}/born-1`, `${namespace}/born-1`, `${namespace}/goes`, `${namespace}/goes`]);
  assert.equal(openNow(), 2);
  const openings = opened.length;
  const spanSeconds = ((opened.at(-1) ?? 0) - (opened[0] ?? 0)) / 1000;
  assert.ok(openings <= 2 * (spanSeconds + 1), `${openings} openings of two kinds in ${spanSeconds} s`);
});

test('a version the server has forgotten leads to one list, and what was deleted meanwhile is noticed', async (t) => {
  const cluster = await newTestCluster();
  t.after(() => cluster.stop());
  const namespace = await cluster.namespace();
  const maps = new Resource<KubeObject>(cluster.connection(), configMaps);
  await maps.create(map('goes', namespace));
  await maps.create(map('is-replaced', namespace));
  const { informers, failures, openNow, lists, cut, mend } = watching(t, cluster);
  const informer = informers.get(configMaps, { namespace });
  const changes: string[] = [];
  informer.onChange((change, { initial }) => !initial && changes.push(`${change.type} ${change.key.split('/')[1]}`));
  informers.start();
  await informers.synced();
  await until('open watch', () => openNow() === 1);
  cut();
  await maps.delete({ namespace, name: 'goes' });
  await maps.delete({ namespace, name: 'is-replaced' });
  await maps.create(map('is-replaced', namespace));
  // A server that starts remembers only what happens from then on.
  await cluster.restartApiServer('SIGKILL');
  mend();
  await until('noticed deletion', () => informer.store.get(`${namespace}/goes`) === undefined);
  assert.ok(
    failures.some((failure) => failure.includes('too old resource version')),
    failures.join('\n'),
  );
  assert.deepEqual(changes, ['deleted goes', 'deleted is-replaced', 'added is-replaced'], 'a successor is no update');
  assert.equal(lists(), 2);
  await until('open watch', () => openNow() === 1);
});
