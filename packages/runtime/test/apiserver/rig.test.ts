import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newTestCluster, type TestCluster } from '@terrain/embedded/testing';
import { Connection, type KubeObject, Resource, type ResourceType } from '@terrain/runtime';
import { FaultProxy, Observer } from '@terrain/runtime/testing';

interface Data extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const mapType: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const secretType: ResourceType = { group: '', version: 'v1', plural: 'secrets', namespaced: true };

describe('the rig against a real API server', () => {
  // A cluster of its own: one of the tests restarts it.
  let cluster: TestCluster;
  let namespace: string;
  let maps: Resource<Data>;
  let secrets: Resource<Data>;

  before(async () => {
    cluster = await newTestCluster();
    namespace = await cluster.namespace();
    maps = new Resource(cluster.connection(), mapType);
    secrets = new Resource(cluster.connection(), secretType);
  });
  after(() => cluster.stop());

  const map = (name: string, data: Record<string, string> = {}): Data => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  });
  const secret = (name: string): Data => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
  const seen = (observer: Observer): string[] =>
    observer.history
      .filter(({ type, object }) => type !== 'INITIAL' && object.metadata.namespace === namespace)
      .map(({ type, resource, object: { metadata } }) => `${type} ${resource.plural} ${metadata.name}`);

  test('the observer puts changes of several kinds in order and knows when it has seen them all', async () => {
    await using observer = await Observer.start({ connection: cluster.connection(), kinds: [mapType, secretType] });
    await maps.create(map('one'));
    await secrets.create(secret('one'));
    await secrets.delete({ name: 'one', namespace });
    await maps.delete({ name: 'one', namespace });
    await observer.caughtUp();
    assert.deepEqual(seen(observer), [
      'ADDED configmaps one',
      'ADDED secrets one',
      'DELETED secrets one',
      'DELETED configmaps one',
    ]);
    // Nothing happens to secrets any more; the server must still say that it has nothing to say.
    const { metadata } = await maps.create(map('two'));
    await observer.caughtUp(metadata.resourceVersion);
    assert.equal(seen(observer).at(-1), 'ADDED configmaps two');
  });

  test('the observer misses nothing while the API server crashes and comes back', async () => {
    await using observer = await Observer.start({ connection: cluster.connection(), kinds: [mapType, secretType] });
    for (const name of ['a', 'b']) await maps.create(map(name));
    await cluster.stopApiServer();
    await cluster.startApiServer();
    await secrets.create(secret('c'));
    await secrets.delete({ name: 'c', namespace });
    await maps.create(map('d'));
    await observer.caughtUp();
    assert.deepEqual(seen(observer), [
      'ADDED configmaps a',
      'ADDED configmaps b',
      'ADDED secrets c',
      'DELETED secrets c',
      'ADDED configmaps d',
    ]);
    observer.assertClean();
  });

  test('the proxy passes TLS and credentials on, and shows an earlier state to who reads through it', async () => {
    await maps.create(map('old', { state: 'before' }));
    const { metadata } = await maps.list({ namespace });
    const resourceVersion = metadata.resourceVersion!;
    await maps.replace(map('old', { state: 'after' }));
    await maps.create(map('new'));

    const plan = {
      rules: [{ on: 'request', match: { verb: 'read' }, do: { fault: 'time-travel', resourceVersion, gate: 'present' } }],
    } as const;
    await using proxy = await FaultProxy.start({ upstream: cluster.credentials, plan });
    await using connection = new Connection(proxy.credentials);
    const stale = new Resource<Data>(connection, mapType);
    assert.deepEqual((await stale.get({ name: 'old', namespace })).data, { state: 'before' });
    await assert.rejects(stale.get({ name: 'new', namespace }), { code: 404, reason: 'NotFound' });
    const list = await stale.list({ namespace });
    assert.deepEqual(
      [list.metadata.resourceVersion, list.items.some((item) => item.metadata.name === 'new')],
      [resourceVersion, false],
    );

    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const query = { watch: true, allowWatchBookmarks: true, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    const events: string[] = [];
    for await (const line of connection.stream({ method: 'GET', path, query })) {
      const { type, object } = JSON.parse(line) as { type: string; object: Data };
      if (type === 'BOOKMARK') {
        assert.ok(events.includes('ADDED old before') && !events.some((event) => event.includes('new')));
        proxy.open('present');
      }
      events.push(`${type} ${object.metadata.name} ${object.data?.state ?? ''}`.trim());
      if (events.includes('ADDED new')) break;
    }
    assert.deepEqual(events.slice(-2), ['MODIFIED old after', 'ADDED new']);
  });
});
