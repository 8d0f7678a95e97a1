import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection } from '#transport/connection.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';
import { FakeClock } from '../fake-clock.ts';
import { ApiFake, type ApiFakeOptions } from './api-fake.ts';
import type { StoredObject } from './kind.ts';

const mapType: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const map = (name: string, more: object = {}): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...more },
});
const path = '/api/v1/namespaces/default/configmaps';

class Rig {
  readonly fake: ApiFake;
  readonly connection: Connection;
  readonly maps: Resource<StoredObject>;

  constructor(fake: ApiFake) {
    this.fake = fake;
    this.connection = new Connection(fake.credentials);
    this.maps = new Resource(this.connection, mapType);
  }

  static async start(options: ApiFakeOptions = {}): Promise<Rig> {
    return new Rig(await ApiFake.start(options));
  }

  watch(query: Record<string, string | number | boolean> = {}): AsyncGenerator<string> {
    return this.connection.stream({ method: 'GET', path, query: { watch: true, ...query } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
    await this.fake.close();
  }
}

const typeAndVersion = (line: unknown): unknown[] => {
  const { type, object } = JSON.parse(String(line)) as { type: string; object: StoredObject };
  return [type, object.metadata.resourceVersion];
};

test('objects can be put in and looked at without requests', async () => {
  await using rig = await Rig.start();
  const seeded = rig.fake.seed(map('a'));
  assert.deepEqual(rig.fake.objects(mapType), [seeded]);
  assert.deepEqual(
    rig.fake.changes(mapType).map(({ type }) => type),
    ['ADDED'],
  );
  assert.deepEqual(await rig.maps.get({ name: 'a', namespace: 'default' }), seeded);
  assert.throws(
    () => rig.fake.seed({ apiVersion: 'nope/v1', kind: 'Nope', metadata: { name: 'a' } }),
    /does not serve nope\/v1 Nope; register the kind first/,
  );
});

test('kinds can be registered without a CRD', async () => {
  await using rig = await Rig.start();
  const type = { group: 'example.test', version: 'v1', plural: 'widgets', namespaced: true };
  rig.fake.register({ type, kind: 'Widget', hasStatus: true });
  const widgets = new Resource<StoredObject>(rig.connection, type);
  const created = await widgets.create({
    apiVersion: 'example.test/v1',
    kind: 'Widget',
    metadata: { name: 'a', namespace: 'default' },
    spec: {},
    status: {},
  });
  assert.deepEqual([created.metadata.generation, created.status], [1, undefined]);
});

test('an admission hook refuses writes with whatever it says', async () => {
  const seen: string[] = [];
  await using rig = await Rig.start({
    admit: ({ verb, kind, object, previous, subresource }) => {
      if (kind.kind !== 'ConfigMap') return undefined;
      seen.push(`${verb} ${object.metadata.name} ${previous === undefined ? 'new' : 'known'} ${subresource ?? 'whole'}`);
      return object.metadata.labels?.bad === 'yes' ? { code: 403, reason: 'Forbidden', message: 'a policy says no' } : undefined;
    },
  });
  await rig.maps.create(map('a'));
  await assert.rejects(rig.maps.create(map('b', { labels: { bad: 'yes' } })), {
    code: 403,
    reason: 'Forbidden',
    message: /a policy says no/,
  });
  await assert.rejects(rig.maps.mergePatch({ name: 'a', namespace: 'default' }, { metadata: { labels: { bad: 'yes' } } }), {
    code: 403,
  });
  await rig.maps.delete({ name: 'a', namespace: 'default' });
  assert.deepEqual(seen, ['create a new whole', 'create b new whole', 'update a known whole', 'delete a known whole']);
});

test('garbage waits for its collector when that is switched off', async () => {
  await using rig = await Rig.start({ collectsGarbage: false });
  const { metadata } = await rig.maps.create(map('owner'));
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid! };
  await rig.maps.create(map('child', { ownerReferences: [reference] }));
  await rig.maps.delete({ name: 'owner', namespace: 'default' });
  assert.equal(rig.fake.objects(mapType).length, 1);
  rig.fake.collectGarbage();
  assert.deepEqual(rig.fake.objects(mapType), []);
});

test('times come from the clock given, and so do bookmarks and timeouts', async () => {
  const clock = new FakeClock(Date.UTC(2031, 4, 6));
  await using rig = await Rig.start({ clock });
  const { metadata } = await rig.maps.create(map('a'));
  assert.equal(metadata.creationTimestamp, '2031-05-06T00:00:00Z');
  const lines = rig.watch({ allowWatchBookmarks: true, timeoutSeconds: 300, resourceVersion: metadata.resourceVersion! });
  const first = lines.next();
  while (rig.fake.openWatches(mapType) === 0) await rig.maps.list();
  rig.fake.seed({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } });
  await clock.advance(60_000);
  assert.deepEqual(typeAndVersion((await first).value), ['BOOKMARK', String(rig.fake.revision)]);
  const end = lines.next();
  await clock.advance(240_000);
  assert.equal((await end).done, true);
  assert.equal(clock.pendingTimers, 0);
});

test('a watch on a forgotten version is refused by the status code, if so wished', async () => {
  await using rig = await Rig.start({ expiredAs: 'status' });
  await assert.rejects(rig.watch({ resourceVersion: '1' }).next(), { code: 410, reason: 'Expired' });
});

test('watches are counted and can be ended', async () => {
  await using rig = await Rig.start();
  const ended = rig.watch().next();
  while (rig.fake.openWatches() === 0) await rig.maps.list();
  assert.deepEqual([rig.fake.openWatches(mapType), rig.fake.openWatches({ ...mapType, plural: 'secrets' })], [1, 0]);
  rig.fake.closeWatches();
  assert.deepEqual([(await ended).done, rig.fake.openWatches()], [true, 0]);
});

test('a watch is forgotten when its client goes', async () => {
  await using rig = await Rig.start();
  rig.fake.seed(map('a'));
  for await (const line of rig.watch()) {
    assert.deepEqual(typeAndVersion(line)[0], 'ADDED');
    break;
  }
  while (rig.fake.openWatches() > 0) await rig.maps.list();
});

test('requests are counted by verb and kind', async () => {
  await using rig = await Rig.start();
  await rig.maps.create(map('a'));
  await rig.maps.list({ namespace: 'default' });
  await rig.maps.apply(map('a'), { fieldManager: 'me' });
  assert.deepEqual(rig.fake.log.tally(), { 'create configmaps': 1, 'list configmaps': 1, 'patch configmaps': 1 });
  assert.equal(rig.fake.log.count({ verb: 'write' }), 2);
});

test('a fault of the fake itself is answered as one', async () => {
  await using rig = await Rig.start({
    admit: ({ kind }) => {
      if (kind.kind === 'ConfigMap') throw new TypeError('a mistake in the test');
      return undefined;
    },
  });
  await assert.rejects(rig.maps.create(map('a')), {
    code: 500,
    message: /the API fake failed: TypeError: a mistake in the test/,
  });
});
