import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import { Connection, Elector, fenceWrites, type KubeObject, silentLogger, systemClock } from '@terrain/runtime';
import { until } from '../until.ts';

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
}

const times = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 300 };

function candidate(t: TestContext, cluster: TestCluster, namespace: string, identity: string) {
  const connection = new Connection(cluster.credentials, { userAgent: identity });
  t.after(() => connection.close());
  const elector = new Elector({
    api: connection,
    clock: systemClock,
    log: silentLogger,
    namespace,
    name: 'op',
    identity,
    ...times,
  });
  const stop = new AbortController();
  return { elector, connection, stop };
}

async function leaseIn(cluster: TestCluster, namespace: string): Promise<Lease> {
  return cluster
    .connection()
    .request<Lease>({ method: 'GET', path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/op` });
}

test('a lease passes from a leader that stops to the next in one look, and from one that vanished when it has run out', async (t) => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace('leader');
  const [one, two, three] = ['one', 'two', 'three'].map((identity) => candidate(t, cluster, namespace, identity));
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  await one.elector.acquire(one.stop.signal);
  const holding = one.elector.hold(one.stop.signal);
  const second = two.elector.acquire(two.stop.signal);
  await until('several renewals', async () => Number((await leaseIn(cluster, namespace)).metadata.resourceVersion) > 0);
  assert.deepEqual([one.elector.isLeading, two.elector.isLeading], [true, false]);

  one.stop.abort();
  await holding;
  const released = systemClock.monotonic();
  await one.elector.release();
  await second;
  const handOverMs = systemClock.monotonic() - released;
  t.diagnostic(`after a release: ${Math.round(handOverMs)} ms`);
  assert.ok(handOverMs < times.leaseMs, `${handOverMs} ms`);

  // Nobody renews for the second: as if it had been killed.
  const vanished = systemClock.monotonic();
  await three.elector.acquire(three.stop.signal);
  const failOverMs = systemClock.monotonic() - vanished;
  t.diagnostic(`after a death: ${Math.round(failOverMs)} ms`);
  assert.ok(failOverMs >= times.leaseMs - 500 && failOverMs < times.leaseMs + 2 * times.retryMs + 2000, `${failOverMs} ms`);
  assert.equal(two.elector.isLeading, false, 'it stopped acting before the next began');
  const { spec } = await leaseIn(cluster, namespace);
  assert.equal(spec?.holderIdentity, 'three');
  assert.equal(spec?.leaseTransitions, 2);
  const fenced = fenceWrites(two.connection, () => two.elector.isLeading);
  await assert.rejects(fenced.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` }), {
    name: 'LeadershipLostError',
  });
});

test('of many that begin at once exactly one leads', async (t) => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace('leader');
  const candidates = Array.from({ length: 8 }, (_, n) => candidate(t, cluster, namespace, `c${n}`));
  const campaigns = candidates.map(({ elector, stop }) => elector.acquire(stop.signal).catch(() => undefined));
  await until('a leader', () => candidates.some(({ elector }) => elector.isLeading));
  const holder = (await leaseIn(cluster, namespace)).spec?.holderIdentity;
  const leaders = candidates.filter(({ elector }) => elector.isLeading).map(({ elector }) => elector.identity);
  assert.deepEqual(leaders, [holder]);
  for (const { stop } of candidates) stop.abort();
  await Promise.all(campaigns);
});
