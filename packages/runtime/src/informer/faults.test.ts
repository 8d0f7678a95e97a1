import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '#clock/clock.ts';
import { hurriedClock } from '#testing/hurried-clock.ts';
import { ApiFake, type FaultPlan, FaultProxy } from '#testing/index.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import { Connection } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';
import { until } from '../../test/until.ts';
import { Informers } from './informers.ts';

const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const watches = { verb: 'watch', resource: 'configmaps' } as const;
const lists = { verb: 'list', resource: 'configmaps' } as const;

interface Fault {
  readonly plan: FaultPlan;
  /** What the fault hides until the next list; absent: nothing may stay hidden. */
  readonly relistAfter?: true;
  readonly atStart?: true;
}

const onWatch = (fault: FaultPlan['rules'][number]['do'], nth: number | { from: number; to: number } = 1): FaultPlan => ({
  rules: [{ on: 'request', match: watches, nth, do: fault } as FaultPlan['rules'][number]],
});
const onList = (fault: FaultPlan['rules'][number]['do'], nth: number | { from: number; to: number } = 1): FaultPlan => ({
  rules: [{ on: 'request', match: lists, nth, do: fault } as FaultPlan['rules'][number]],
});
const onEvent = (
  fault: { fault: 'drop' } | { fault: 'delay'; ms: number } | { fault: 'duplicate'; afterEvents?: number },
): FaultPlan => ({
  rules: [{ on: 'event', match: { resource: 'configmaps' }, nth: [1, 3], do: fault }],
});

const faults: Record<string, Fault> = {
  'the watch ends': { plan: onWatch({ fault: 'close-watch', afterEvents: 1 }) },
  'the watch is reset': { plan: onWatch({ fault: 'close-watch', afterEvents: 1, how: 'reset' }) },
  'the watch ends three times in a row': { plan: onWatch({ fault: 'close-watch' }, { from: 1, to: 3 }) },
  'the watch is a black hole': { plan: onWatch({ fault: 'blackhole', afterEvents: 1 }) },
  'the watch is a black hole from the start': { plan: onWatch({ fault: 'blackhole' }) },
  'the watch is never answered': { plan: onWatch({ fault: 'hang' }) },
  'the version has expired, by status': { plan: onWatch({ fault: 'expire', as: 'status' }) },
  'the version has expired, by event': { plan: onWatch({ fault: 'expire', as: 'event', afterEvents: 1 }) },
  'the version expires again and again': { plan: onWatch({ fault: 'expire', as: 'event' }, { from: 1, to: 2 }) },
  'the watch lags': { plan: onWatch({ fault: 'lag', ms: 300 }) },
  'the watch is refused': { plan: onWatch({ fault: 'refuse' }, { from: 1, to: 2 }) },
  'the watch is answered with 500': { plan: onWatch({ fault: 'answer', code: 500 }, { from: 1, to: 2 }) },
  'the watch is answered with 429': { plan: onWatch({ fault: 'answer', code: 429, retryAfterSeconds: 1 }) },
  'events arrive twice': { plan: onEvent({ fault: 'duplicate' }) },
  'events arrive again after others': { plan: onEvent({ fault: 'duplicate', afterEvents: 1 }) },
  'events arrive late': { plan: onEvent({ fault: 'delay', ms: 200 }) },
  'events are lost': { plan: onEvent({ fault: 'drop' }), relistAfter: true },
  'the list is refused': { plan: onList({ fault: 'refuse' }), atStart: true },
  'the list is answered with 500': { plan: onList({ fault: 'answer', code: 500 }, 2), atStart: true },
  'the list is answered with 429': { plan: onList({ fault: 'answer', code: 429, retryAfterSeconds: 1 }, 2), atStart: true },
  'the list loses its reply': { plan: onList({ fault: 'lose-reply' }, 2), atStart: true },
  'a page token has expired': { plan: onList({ fault: 'answer', code: 410, reason: 'Expired' }, 2), atStart: true },
  'the list arrives in small pieces': { plan: onList({ fault: 'slow-body', chunkBytes: 500, everyMs: 2 }), atStart: true },
  'the connection is closed after a page': { plan: onList({ fault: 'close-after' }), atStart: true },
};

describe('a watch survives', { concurrency: 6 }, () => {
  for (const [name, { plan, relistAfter, atStart }] of Object.entries(faults)) {
    test(name, async (t) => {
      const fake = await ApiFake.start();
      const proxy = await FaultProxy.start({ upstream: fake.credentials, ...(atStart === true ? { plan } : {}) });
      const connection = new Connection(proxy.credentials, { timeoutMs: 2000 });
      const informers = new Informers({ api: connection, clock: systemClock, silenceMs: 1500, pageSize: 5 });
      const direct = new Connection(fake.credentials);
      t.after(async () => {
        await informers.close();
        await Promise.all([connection.close(), direct.close()]);
        await proxy.close();
        await fake.close();
      });
      const maps = new Resource<KubeObject>(direct, configMaps);
      const make = (key: string): Promise<KubeObject> =>
        maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: key } });
      for (let n = 0; n < 12; n++) await make(`old-${n}`);

      const informer = informers.get(configMaps);
      const believed = new Set<string>();
      let smallest = Number.POSITIVE_INFINITY;
      informer.onChange((change) => {
        if (change.type === 'added') assert.ok(!believed.has(change.key), 'added twice');
        if (change.type === 'deleted') assert.ok(believed.delete(change.key), 'deleted what was not there');
        else believed.add(change.key);
        smallest = Math.min(smallest, informer.store.size);
      });
      // Faults that end a watch at once would otherwise be over before anything happens.
      if (atStart !== true) proxy.follow(plan);
      informers.start();
      await informers.synced();
      assert.equal(smallest, 12, 'half a list was shown');
      // Its first event may come again after its last.
      await make('passing');
      await maps.delete({ namespace: 'default', name: 'passing' });
      await make('new-1');
      await maps.delete({ namespace: 'default', name: 'old-1' });
      await make('new-2');
      await maps.delete({ namespace: 'default', name: 'old-2' });
      await maps.mergePatch({ namespace: 'default', name: 'old-3' }, { data: { changed: 'yes' } });
      if (relistAfter === true) {
        await make('marker');
        await until('later event', () => informer.store.get('default/marker') !== undefined);
        fake.closeWatches();
        await make('unseen');
        fake.compact();
      }
      const want = fake
        .objects(configMaps)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`);
      const held = (): string[] =>
        [...informer.store.values()].map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`);
      await until('the state of the server in the cache', () => held().toSorted().join() === want.toSorted().join());
      assert.deepEqual([...believed].toSorted(), want.map((entry) => entry.split('@')[0]).toSorted());
      await until('one open watch', () => fake.openWatches(configMaps) === 1);
      assert.ok(smallest >= 10, `at some time only ${smallest} objects were shown`);
    });
  }
});

test('a server that breaks every watch is asked at most once a second', async (t) => {
  const fake = await ApiFake.start();
  const proxy = await FaultProxy.start({
    upstream: fake.credentials,
    plan: { rules: [{ on: 'request', match: watches, do: { fault: 'close-watch', how: 'reset' } }] },
  });
  const connection = new Connection(proxy.credentials);
  const informers = new Informers({ api: connection, clock: systemClock });
  t.after(async () => {
    await informers.close();
    await connection.close();
    await proxy.close();
    await fake.close();
  });
  informers.get(configMaps);
  const begin = systemClock.monotonic();
  informers.start();
  await informers.synced();
  await until('three watches', () => proxy.log.count(watches) >= 3);
  const seconds = (systemClock.monotonic() - begin) / 1000;
  assert.ok(proxy.log.count(watches) <= seconds + 1, `${proxy.log.count(watches)} watches in ${seconds} s`);
});

test('a server restored from a backup is listed anew, although it takes the watch and only says nothing', async (t) => {
  const [lost, restored] = [await ApiFake.start(), await ApiFake.start()];
  const [before, after] = [new Connection(lost.credentials), new Connection(restored.credentials)];
  const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } });
  restored.seed(map('kept'));
  for (const name of ['kept', 'ghost', ...Array.from({ length: 20 }, (_, n) => `made-since-${n}`)]) lost.seed(map(name));
  let server = before;
  const api: ApiTransport = {
    request: (request) => server.request(request),
    exchange: (request) => server.exchange(request),
    stream: (request) => server.stream(request),
    streamBatches: (request) => server.streamBatches(request),
  };
  const clock = { ...hurriedClock(100), monotonic: () => 100 * systemClock.monotonic() };
  const informers = new Informers({ api, clock });
  t.after(async () => {
    await informers.close();
    await after.close();
    await Promise.all([lost.close(), restored.close()]);
  });
  const informer = informers.get(configMaps);
  informers.start();
  await informers.synced();
  assert.equal(informer.store.size, 22);
  let isReleased = false;
  informer.whenReached(`${lost.revision + 1000}`, () => {
    isReleased = true;
  });
  server = after;
  await before.close();
  await until('watch of the restored server', () => restored.openWatches(configMaps) === 1);
  restored.seed(map('new'));
  const held = (): string => [...informer.store.values()].map(({ metadata }) => metadata.name).join();
  await until('content of the restored server', () => held() === 'kept,new');
  assert.equal(isReleased, true, 'somebody waits for a version that may not come in years');
  restored.seed(map('newer'));
  await until('events of the restored server', () => held() === 'kept,new,newer');
  assert.equal(informer.store.resourceVersion, `${restored.revision}`);
});
