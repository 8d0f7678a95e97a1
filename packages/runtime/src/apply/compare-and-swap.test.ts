import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiFake } from '#testing/index.ts';
import { Connection } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';
import { compareAndSwap } from './compare-and-swap.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}
const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const at = { namespace: 'default', name: 'counter' };
const counter = { apiVersion: 'v1', kind: 'ConfigMap', metadata: at, data: { n: '0' } };
const increment = (current: ConfigMap): ConfigMap => ({ ...current, data: { n: `${Number(current.data?.n) + 1}` } });

test('many writers at once lose no change', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  fake.seed(counter);
  await Promise.all(
    Array.from({ length: 20 }, () => compareAndSwap<ConfigMap>(connection, configMaps, at, increment, { tries: 100 })),
  );
  const { data } = await new Resource<ConfigMap>(connection, configMaps).get(at);
  assert.equal(data?.n, '20');
});

test('a change that wants nothing writes nothing', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  fake.seed(counter);
  const current = await compareAndSwap<ConfigMap>(connection, configMaps, at, () => undefined);
  assert.equal(current.data?.n, '0');
  assert.deepEqual(fake.log.tally(), { 'get configmaps': 1 });
});

test('what is stored is stored on top of what was read, whatever version the change carries', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  fake.seed(counter);
  const stale = (current: ConfigMap): ConfigMap => ({
    ...increment(current),
    metadata: { ...at, resourceVersion: '1', uid: 'other' },
  });
  assert.equal((await compareAndSwap<ConfigMap>(connection, configMaps, at, stale, { tries: 1 })).data?.n, '1');
});

test('after enough conflicts the last one is thrown', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  fake.seed(counter);
  const rival = new Resource<ConfigMap>(connection, configMaps);
  let calls = 0;
  const clock = { now: () => 0, monotonic: () => 0, setTimeout: () => () => undefined, sleep: async () => undefined };
  const racing = async (): Promise<ConfigMap> =>
    compareAndSwap<ConfigMap>(
      {
        ...connection,
        request: async (request) => {
          if (request.method === 'PUT') await rival.mergePatch(at, { data: { n: `${++calls + 100}` } });
          return connection.request(request);
        },
        exchange: (request) => connection.exchange(request),
        stream: (request) => connection.stream(request),
        streamBatches: (request) => connection.streamBatches(request),
      },
      configMaps,
      at,
      increment,
      { tries: 3, clock },
    );
  await assert.rejects(racing(), { code: 409 });
  assert.equal(calls, 3);
});

test('an object that does not exist is an error', async () => {
  await using fake = await ApiFake.start();
  await using connection = new Connection(fake.credentials);
  await assert.rejects(compareAndSwap<ConfigMap>(connection, configMaps, at, increment), { code: 404 });
});
