import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '#clock/clock.ts';
import { after, done } from '#controller/result.ts';
import { events } from '#events/event.ts';
import { type Lease, leases } from '#leader/lease.ts';
import { createLogger } from '#log/logger.ts';
import { ApiFake, FaultProxy } from '#testing/index.ts';
import { Connection } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import type { ResourceType } from '#transport/resource.ts';
import { until } from '../../test/until.ts';
import { Manager, type ManagerOptions } from './manager.ts';

const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
/** For what has to keep the lease on a machine that is busy with other things. */
const patient = { namespace: 'default', name: 'op', leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 100 };
const election = { namespace: 'default', name: 'op', leaseMs: 1500, renewDeadlineMs: 1000, retryMs: 200 };

async function server(t: TestContext): Promise<ApiFake> {
  const fake = await ApiFake.start({ kinds: [{ type: events, kind: 'Event' }] });
  t.after(() => fake.close());
  return fake;
}

function manager(fake: ApiFake, options: Partial<ManagerOptions> = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const made = new Manager({ name: 'op', credentials: fake.credentials, log, health: { port: 0 }, ...options });
  const maps = made.informers.get<KubeObject>(configMaps);
  const stop = new AbortController();
  return { manager: made, maps, stop, lines };
}

async function ask(port: number | undefined, path: string): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return [response.status, await response.text()];
}

test('runs controllers once the caches are complete, shows it, and stops when told', async (t) => {
  const fake = await server(t);
  fake.seed(configMap('a'));
  const { manager: op, maps, stop } = manager(fake);
  const seen: string[] = [];
  op.controller({
    name: 'maps',
    for: maps,
    reconcile: async ({ name }) => {
      assert.ok(maps.hasSynced);
      seen.push(name);
      return done;
    },
  });
  const running = op.run(stop.signal);
  await until('pass', () => seen.length === 1);
  assert.deepEqual(await ask(op.healthPort, '/readyz'), [200, '[+] caches\nok\n']);
  const [, metrics] = await ask(op.healthPort, '/metrics');
  for (const line of [
    'controller_runtime_reconcile_total{controller="maps",result="success"} 1',
    'controller_runtime_max_concurrent_reconciles{controller="maps"} 4',
    'workqueue_adds_total{name="maps"} 1',
    'workqueue_depth{name="maps"} 0',
    'rest_client_requests_total{code="200",method="GET"} 2',
    'terrain_runtime_cached_objects{kind="configmaps"} 1',
  ])
    assert.ok(metrics.includes(`${line}\n`), `${line} is not in\n${metrics}`);
  stop.abort();
  await running;
  await until('end of the watches', () => fake.openWatches() === 0);
  await assert.rejects(ask(op.healthPort, '/readyz'));
});

test('tells its frames of every piece that comes in, of answers and of streams', async (t) => {
  const fake = await server(t);
  let pieces = 0;
  const { manager: op, maps, stop } = manager(fake, { frames: { arrived: () => pieces++ } });
  const running = op.run(stop.signal);
  await until('the watch', () => fake.openWatches() === 1);
  const ofTheList = pieces;
  assert.ok(ofTheList > 0, 'the list came in');
  fake.seed(configMap('a'));
  await until('the event', () => maps.store.size === 1);
  assert.equal(pieces, ofTheList + 1);
  stop.abort();
  await running;
});

test('is not ready, and runs nothing, while a cache is not complete', async (t) => {
  const fake = await server(t);
  const { manager: op, maps, stop } = manager(fake, { credentials: { server: 'http://127.0.0.1:1' } });
  let passes = 0;
  op.controller({
    name: 'maps',
    for: maps,
    reconcile: async () => {
      passes++;
      return done;
    },
  });
  const running = op.run(stop.signal);
  await until('probe', () => op.healthPort !== undefined);
  assert.deepEqual(await ask(op.healthPort, '/readyz'), [503, '[-] caches: waiting for the first list of configmaps\nnot ok\n']);
  stop.abort();
  await running;
  assert.equal(passes, 0);
});

test('no controller starts while any cache is not complete, also if its own is', async (t) => {
  const fake = await server(t);
  fake.seed(configMap('a'));
  const proxy = await FaultProxy.start({
    upstream: fake.credentials,
    plan: { rules: [{ on: 'request', match: { verb: 'list', resource: 'secrets' }, do: { fault: 'hold', gate: 'secrets' } }] },
  });
  t.after(() => proxy.close());
  const { manager: op, maps, stop } = manager(fake, { credentials: proxy.credentials });
  const secrets = op.informers.get<KubeObject>({ ...configMaps, plural: 'secrets' });
  const complete: boolean[] = [];
  op.controller({
    name: 'maps',
    for: maps,
    reconcile: async () => {
      complete.push(secrets.hasSynced);
      return done;
    },
  });
  const running = op.run(stop.signal);
  await until('own cache', () => maps.hasSynced);
  assert.match((await ask(op.healthPort, '/readyz'))[1], /waiting for the first list of secrets/);
  assert.deepEqual(complete, []);
  proxy.open('secrets');
  await until('pass', () => complete.length === 1);
  assert.deepEqual(complete, [true]);
  stop.abort();
  await running;
});

test('of two only one works; the other has warm caches and takes over when the first stops', async (t) => {
  const fake = await server(t);
  fake.seed(configMap('a'));
  const seen: string[] = [];
  const start = (identity: string) => {
    const made = manager(fake, { election: { ...election, identity } });
    made.manager.controller({
      name: 'maps',
      for: made.maps,
      reconcile: async () => {
        seen.push(identity);
        return done;
      },
    });
    return { ...made, running: made.manager.run(made.stop.signal) };
  };
  const first = start('one');
  await until('first leader', () => seen.length === 1);
  const second = start('two');
  await until('warm cache', () => second.maps.store.size === 1);
  assert.equal((await ask(second.manager.healthPort, '/readyz'))[0], 200, 'a follower is ready to take over');
  assert.deepEqual(seen, ['one']);
  first.stop.abort();
  await first.running;
  assert.equal((fake.objects(leases)[0] as Lease).spec?.holderIdentity, '', 'given back');
  await until('second leader', () => seen.length === 2);
  assert.deepEqual(seen, ['one', 'two']);
  second.stop.abort();
  await second.running;
});

test('keeps its lease however many requests wait for an answer', async (t) => {
  const fake = await server(t);
  const proxy = await FaultProxy.start({
    upstream: fake.credentials,
    plan: {
      rules: [{ on: 'request', match: { verb: 'create', resource: 'configmaps' }, do: { fault: 'hold', gate: 'webhook' } }],
    },
  });
  t.after(() => proxy.close());
  const { manager: op, stop } = manager(fake, {
    credentials: proxy.credentials,
    election: { ...patient, renewDeadlineMs: 3000 },
  });
  const running = op.run(stop.signal);
  const renewals = (): number => fake.log.count({ verb: 'update', resource: 'leases' });
  await until('leadership', () => renewals() > 0);
  const path = '/api/v1/namespaces/default/configmaps';
  const writes = Array.from({ length: 100 }, (_, at) => op.api.request({ method: 'POST', path, body: configMap(`m${at}`) }));
  const written = Promise.allSettled(writes);
  const soFar = renewals();
  const longerThanALease = 3000 / patient.retryMs;
  await Promise.race([until('more renewals', () => renewals() > soFar + longerThanALease), running]);
  assert.equal(fake.objects(configMaps).length, 0, 'nothing was answered meanwhile');
  proxy.open('webhook');
  await written;
  assert.equal(fake.objects(configMaps).length, 100);
  stop.abort();
  await running;
});

test('ends with an error when it has lost the lease', async (t) => {
  const fake = await server(t);
  const { manager: op, maps, stop } = manager(fake, { election: { ...election, identity: 'one' } });
  let isAborted: boolean | undefined;
  op.controller({
    name: 'maps',
    for: maps,
    reconcile: async (_, { signal }) => {
      isAborted = false;
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      await systemClock.sleep(60_000, signal);
      return done;
    },
  });
  fake.seed(configMap('a'));
  const running = op.run(stop.signal);
  running.catch(() => undefined);
  await until('pass', () => isAborted === false);
  await using usurper = new Connection(fake.credentials);
  await usurper.request({
    method: 'PATCH',
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/op',
    contentType: 'application/merge-patch+json',
    body: { spec: { holderIdentity: 'usurper' } },
  });
  await assert.rejects(running, { name: 'LeadershipLostError', message: 'the lease is held by usurper now' });
  assert.equal(isAborted, true);
  await assert.rejects(
    op.api.request({ method: 'DELETE', path: '/api/v1/namespaces/default/configmaps/a' }),
    /this process does not lead/,
  );
});

test('a controller that does not stop is named, and the lease is not given back', async (t) => {
  const fake = await server(t);
  fake.seed(configMap('a'));
  const { manager: op, maps, stop } = manager(fake, { election: { ...election, identity: 'one' }, shutdownMs: 100 });
  const stuck = Promise.withResolvers<void>();
  let begun = false;
  op.controller({
    name: 'deaf',
    for: maps,
    reconcile: async () => {
      begun = true;
      await stuck.promise;
      return done;
    },
  });
  const running = op.run(stop.signal);
  running.catch(() => undefined);
  await until('pass', () => begun);
  stop.abort();
  await assert.rejects(running, { name: 'ShutdownError', message: 'the controller deaf did not stop within 0.1 s' });
  assert.equal((fake.objects(leases)[0] as Lease).spec?.holderIdentity, 'one');
  await until('end of the watches: everything else is stopped all the same', () => fake.openWatches() === 0);
  stuck.resolve();
});

test('events are recorded under the name of the program, and sent before the end', async (t) => {
  const fake = await server(t);
  fake.seed(configMap('a'));
  const { manager: op, maps, stop } = manager(fake);
  let passes = 0;
  op.controller({
    name: 'maps',
    for: maps,
    reconcile: async () => {
      const map = maps.store.get('default/a');
      if (map !== undefined && passes++ === 0) op.events.record(map, { type: 'Normal', reason: 'Seen', note: 'here it is' });
      return after(60_000);
    },
  });
  const running = op.run(stop.signal);
  await until('pass', () => passes > 0);
  stop.abort();
  await running;
  assert.deepEqual(
    fake.objects(events).map((event) => [event.reason, event.reportingController]),
    [['Seen', 'op']],
  );
});

test('a server that is slow to take events does not keep the lease from being given back', { timeout: 30_000 }, async (t) => {
  const fake = await server(t);
  const proxy = await FaultProxy.start({
    upstream: fake.credentials,
    plan: { rules: [{ on: 'request', match: { verb: 'create', resource: 'events' }, do: { fault: 'hold', gate: 'events' } }] },
  });
  t.after(() => proxy.close());
  const shutdownMs = 20_000;
  const { manager: op, stop, lines } = manager(fake, { credentials: proxy.credentials, election: patient, shutdownMs });
  const running = op.run(stop.signal);
  await until('leadership', () => fake.log.count({ verb: 'update', resource: 'leases' }) > 0);
  const map = fake.seed(configMap('a'));
  for (let at = 0; at < 20; at++) op.events.record(map, { type: 'Normal', reason: 'Seen', note: `for the ${at}th time` });
  await until('events on their way', () => proxy.log.count({ verb: 'create', resource: 'events' }) === 8);
  const stoppedAt = systemClock.monotonic();
  stop.abort();
  await running;
  const tookMs = systemClock.monotonic() - stoppedAt;
  assert.ok(tookMs < shutdownMs, `stopping took ${tookMs} ms`);
  assert.equal((fake.objects(leases)[0] as Lease).spec?.holderIdentity, '');
  const dropped = lines
    .filter(({ msg }) => String(msg).startsWith('events may be lost'))
    .map(({ level, events: count }) => [level, count]);
  assert.deepEqual(dropped, [['warn', 20]]);
});

test('what comes too late is refused', async (t) => {
  const fake = await server(t);
  const { manager: op, maps, stop } = manager(fake);
  const running = op.run(stop.signal);
  assert.throws(() => op.controller({ name: 'late', for: maps, reconcile: async () => done }), /add all of them before run/);
  await assert.rejects(op.run(stop.signal), /runs once/);
  stop.abort();
  await running;
});
