import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '#clock/clock.ts';
import type { Change } from '#store/store.ts';
import { ApiFake } from '#testing/index.ts';
import { Connection } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';
import { until } from '../../test/until.ts';
import type { InformerObserver } from './informer.ts';
import { Informers } from './informers.ts';

const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const things: ResourceType = { group: 'example.com', version: 'v1', plural: 'things', namespaced: false };

const definitionOfThings = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
};

const configMap = (
  name: string,
  more: { labels?: Record<string, string>; namespace?: string; data?: Record<string, string> } = {},
) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: more.namespace ?? 'default', ...(more.labels === undefined ? {} : { labels: more.labels }) },
  data: more.data ?? {},
});

async function rig(t: TestContext, observer: InformerObserver = {}, freeze = true) {
  const fake = await ApiFake.start();
  const connection = new Connection(fake.credentials);
  const informers = new Informers({ api: connection, clock: systemClock, observer, freeze });
  t.after(async () => {
    await informers.close();
    await connection.close();
    await fake.close();
  });
  return { fake, connection, informers, maps: new Resource<KubeObject>(connection, configMaps) };
}

test('what exists is told first and marked as initial; what happens afterwards is not', async (t) => {
  const { fake, informers, maps } = await rig(t);
  fake.seed(configMap('a'));
  const informer = informers.get(configMaps);
  const seen: string[] = [];
  informer.onChange((change, { initial }) => seen.push(`${change.type} ${change.key} ${initial}`));
  assert.equal(informer.hasSynced, false);
  informers.start();
  await informers.synced();
  assert.equal(informer.served, true);
  await maps.create(configMap('b'));
  await maps.delete({ namespace: 'default', name: 'a' });
  await until('deletion', () => seen.length === 3);
  assert.deepEqual(seen, ['added default/a true', 'added default/b false', 'deleted default/a false']);
});

test('one that is closed as soon as it has synced opens no watch', { timeout: 30_000 }, async (t) => {
  const { fake, informers } = await rig(t);
  const informer = informers.get(configMaps);
  informers.start();
  await informer.synced;
  await informer.close();
  assert.equal(informer.watchState, 'stopped');
  assert.equal(fake.log.count({ verb: 'watch', resource: 'configmaps' }), 0);
});

test('a handler that comes late is told what is there', async (t) => {
  const { fake, informers } = await rig(t);
  fake.seed(configMap('a'));
  const informer = informers.get(configMaps);
  informers.start();
  await informer.synced;
  const seen: string[] = [];
  const end = informer.onChange((change, { initial }) => seen.push(`${change.type} ${change.key} ${initial}`));
  assert.deepEqual(seen, ['added default/a true']);
  end();
  fake.seed(configMap('b'));
  await until('second object', () => informer.store.size === 2);
  assert.equal(seen.length, 1, 'the handler was taken away');
});

test('handlers that are added together are told of the same objects, once all are there, and not those taken away again', async (t) => {
  const { fake, informers } = await rig(t);
  const names = Array.from({ length: 8 }, (_, index) => `m${index}`);
  for (const name of names) fake.seed(configMap(name));
  const informer = informers.get(configMaps);
  informers.start();
  await informer.synced;
  const [first, second, none]: [KubeObject[], KubeObject[], string[]] = [[], [], []];
  const note = (seen: KubeObject[]) => (change: Change<KubeObject>) => change.type === 'added' && seen.push(change.new);
  informers.addingHandlers(() => {
    informer.onChange(note(first));
    informer.onChange(note(second));
    const end = informer.onChange(({ key }) => none.push(key));
    end();
    assert.equal(first.length, 0, 'not all are there yet');
  });
  assert.deepEqual(
    first.map(({ metadata }) => metadata.name),
    names,
  );
  for (const [index, object] of first.entries()) assert.equal(second[index], object, 'made once for both');
  assert.deepEqual(none, []);
  const late: string[] = [];
  informer.onChange(({ key }) => late.push(key));
  assert.equal(late.length, names.length, 'told at once again');
  fake.seed(configMap('one-more'));
  await until('news', () => first.length === names.length + 1 && second.length === names.length + 1);
});

test('handlers are told though adding another one failed', async (t) => {
  const { fake, informers } = await rig(t);
  fake.seed(configMap('a'));
  const informer = informers.get(configMaps);
  informers.start();
  await informer.synced;
  const seen: string[] = [];
  const broken = (): void => {
    informer.onChange(({ key }) => seen.push(key));
    throw new Error('no second handler');
  };
  assert.throws(() => informers.addingHandlers(broken), /no second handler/);
  assert.deepEqual(seen, ['default/a']);
});

test('only what is kept is held, of lists and of events, and all who share it keep the same', async (t) => {
  const { fake, informers, maps } = await rig(t);
  type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };
  const keep = ({ apiVersion, kind, metadata, data }: ConfigMap): ConfigMap => {
    const { name, namespace, uid, resourceVersion } = metadata;
    return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, data: { a: data?.a } } as ConfigMap;
  };
  fake.seed(configMap('listed', { labels: { x: 'y' }, data: { a: '1', b: '2' } }));
  const informer = informers.get<ConfigMap>(configMaps, { keep });
  informers.start();
  await informers.synced();
  await maps.create(configMap('told', { labels: { x: 'y' }, data: { a: '3', b: '4' } }));
  await until('second object', () => informer.store.size === 2);
  assert.deepEqual(
    [...informer.store.values()].map(({ metadata, data }) => [metadata.name, Object.keys(metadata).length, data]),
    [
      ['listed', 4, { a: '1' }],
      ['told', 4, { a: '3' }],
    ],
  );
  assert.equal(informers.get<ConfigMap>(configMaps, { keep }), informer);
  assert.throws(() => informers.get(configMaps), /keeps other fields/);
});

test('a handler that throws is reported and hurts neither its neighbours nor the watch', async (t) => {
  const failures: unknown[] = [];
  const { fake, informers } = await rig(t, { handlerFailure: (_, error) => failures.push(error) });
  const informer = informers.get(configMaps);
  const seen: string[] = [];
  const error = new Error('broken handler');
  informer.onChange(() => {
    throw error;
  });
  informer.onChange((change) => seen.push(change.key));
  informers.start();
  await informer.synced;
  fake.seed(configMap('a'));
  fake.seed(configMap('b'));
  await until('both objects', () => seen.length === 2);
  assert.deepEqual(failures, [error, error]);
  assert.equal(fake.openWatches(configMaps), 1);
});

test('an index function that throws on an odd object is reported and hurts neither store, list nor handlers', async (t) => {
  type ConfigMap = KubeObject & { data?: { owner: string } };
  const failures: unknown[] = [];
  const { fake, informers, maps } = await rig(t, { handlerFailure: (_, error) => failures.push(error) });
  const odd = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'odd', namespace: 'default' } };
  const owned = (name: string) => configMap(name, { data: { owner: 'me' } });
  for (const object of [owned('a'), odd, owned('z')]) fake.seed(object);
  const informer = informers.get<ConfigMap>(configMaps);
  informer.addIndex('owner', (object) => [(object.data as { owner: string }).owner]);
  const seen: string[] = [];
  informer.onChange((change) => seen.push(`${change.type} ${change.key}`));
  const found = (): readonly string[] => informer.store.keysByIndex('owner', 'me');
  const told = async (...want: string[]): Promise<void> => {
    await until(want.join(', '), () => seen.length >= want.length);
    assert.deepEqual(seen.splice(0), want);
  };

  informers.start();
  await until('the first list', () => informer.hasSynced);
  await told('added default/a', 'added default/odd', 'added default/z');
  assert.equal(informer.store.size, 3);
  assert.deepEqual(found(), ['default/a', 'default/z']);
  const words = failures.map((failure) => (failure as Error).message);
  assert.deepEqual(words, [
    `the index "owner" leaves out default/odd: its function failed: Cannot read properties of undefined (reading 'owner')`,
  ]);
  assert.ok((failures[0] as Error).cause instanceof TypeError);

  await maps.mergePatch({ namespace: 'default', name: 'odd' }, { data: { owner: 'me' } });
  await told('updated default/odd');
  assert.deepEqual(found(), ['default/a', 'default/z', 'default/odd']);
  await maps.mergePatch({ namespace: 'default', name: 'a' }, { data: null });
  await told('updated default/a');
  assert.deepEqual(found(), ['default/z', 'default/odd']);
  for (const name of ['odd', 'a']) await maps.delete({ namespace: 'default', name });
  await told('deleted default/odd', 'deleted default/a');
  assert.deepEqual(found(), ['default/z']);
  assert.equal(failures.length, 2, 'each odd version is reported once, when it comes');
  assert.equal(fake.log.count({ verb: 'list', resource: 'configmaps' }), 1);
});

test('objects are frozen in depth and hold no managed fields', async (t) => {
  const { informers, maps } = await rig(t);
  const informer = informers.get<KubeObject & { data: Record<string, string> }>(configMaps);
  const created = await maps.create(configMap('a', { data: { k: 'v' } }));
  assert.ok(created.metadata.managedFields !== undefined, 'the server sends them');
  informers.start();
  await informer.synced;
  await maps.create(configMap('b', { data: { k: 'v' } }));
  await until('second object', () => informer.store.size === 2);
  for (const object of informer.store.values()) {
    assert.equal(object.metadata.managedFields, undefined);
    assert.equal(object.kind, 'ConfigMap', 'listed or watched, the form is the same');
    assert.throws(() => {
      object.data.k = 'edited';
    }, TypeError);
  }
});

test('without freezing objects are left as they are', async (t) => {
  const { fake, informers } = await rig(t, {}, false);
  fake.seed(configMap('a'));
  const informer = informers.get(configMaps);
  informers.start();
  await informer.synced;
  assert.equal(Object.isFrozen(informer.store.get('default/a')), false);
});

for (const [where, freeze, count] of [
  ['in development after a few others', true, 10],
  ['in production after some hundreds', false, 600],
] as const)
  test(`an object comes to rest ${where}, and is read as it was`, async (t) => {
    const { fake, informers } = await rig(t, {}, freeze);
    for (let index = 0; index < count; index++) fake.seed(configMap(`map-${index}`, { data: { text: `of ${index}` } }));
    const { store } = informers.get<KubeObject & { data: Record<string, string> }>(configMaps);
    informers.start();
    await informers.synced();
    const first = store.get('default/map-0');
    assert.equal(store.get('default/map-0'), first, 'in use');
    for (const { metadata } of [...store.values()]) store.get(`default/${metadata.name}`);
    const again = store.get('default/map-0');
    assert.notEqual(again, first);
    assert.deepEqual(again, first);
    assert.equal(Object.isFrozen(again?.data), freeze);
  });

test('informers of one kind and scope are one; other scopes are others', async (t) => {
  const { informers } = await rig(t);
  assert.equal(informers.get(configMaps), informers.get({ ...configMaps }));
  assert.notEqual(informers.get(configMaps), informers.get(configMaps, { namespace: 'default' }));
  assert.equal(informers.get(configMaps, { labelSelector: 'a=b' }), informers.get(configMaps, { labelSelector: 'a=b' }));
});

test('a selector limits what is held, and an object that stops matching is deleted here', async (t) => {
  const { fake, informers, maps } = await rig(t);
  fake.seed(configMap('mine', { labels: { app: 'x' } }));
  fake.seed(configMap('other'));
  const informer = informers.get(configMaps, { labelSelector: 'app=x' });
  informers.start();
  await informer.synced;
  assert.deepEqual(
    [...informer.store.values()].map(({ metadata }) => metadata.name),
    ['mine'],
  );
  await maps.mergePatch({ namespace: 'default', name: 'mine' }, { metadata: { labels: { app: 'y' } } });
  await until('object to leave', () => informer.store.size === 0);
});

test('a deletion missed while the watch was away is noticed by the list after it', async (t) => {
  const { fake, informers, maps } = await rig(t);
  fake.seed(configMap('a'));
  fake.seed(configMap('b'));
  const informer = informers.get(configMaps);
  const seen: string[] = [];
  informer.onChange((change, { initial }) => !initial && seen.push(`${change.type} ${change.key}`));
  informers.start();
  await informer.synced;
  await until('open watch', () => fake.openWatches(configMaps) === 1);
  fake.closeWatches();
  await maps.delete({ namespace: 'default', name: 'a' });
  fake.compact();
  await until('missed deletion', () => seen.length > 0);
  assert.deepEqual(seen, ['deleted default/a']);
  await until('open watch', () => fake.openWatches(configMaps) === 1);
});

test('a kind that is not served yet counts as synced and empty, and joins without a restart', async (t) => {
  const { fake, informers } = await rig(t);
  const informer = informers.get(things);
  informers.start();
  await informers.synced();
  assert.equal(informer.served, false);
  assert.equal(informer.store.size, 0);
  fake.seed(definitionOfThings);
  fake.seed({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } });
  await until('the new kind', () => informer.store.size === 1);
  assert.equal(informer.served, true);
});

test('metadata only: the objects have nothing else', async (t) => {
  const { fake, informers } = await rig(t);
  fake.seed(configMap('a', { data: { big: 'value' }, labels: { l: '1' } }));
  const informer = informers.get(configMaps, { metadataOnly: true });
  informers.start();
  await informer.synced;
  fake.seed(configMap('b', { data: { big: 'value' } }));
  await until('second object', () => informer.store.size === 2);
  for (const object of informer.store.values()) assert.deepEqual(Object.keys(object).sort(), ['apiVersion', 'kind', 'metadata']);
  assert.deepEqual(informer.store.get('default/a')?.metadata.labels, { l: '1' });
});

test('those who wait for a version are called when the cache has it, for the end of an object when it is gone', async (t) => {
  const { informers, maps } = await rig(t);
  const informer = informers.get(configMaps);
  informers.start();
  await informer.synced;
  const called: string[] = [];
  informer.whenReached(informer.store.resourceVersion ?? '', () => called.push('at once'));
  assert.deepEqual(called, ['at once']);
  const { metadata } = await maps.create(configMap('a'));
  informer.whenReached(metadata.resourceVersion ?? '', () => called.push('reached'));
  await until('version', () => called.length === 2);
  informer.whenGone('default/a', metadata.uid, () => called.push('gone'));
  assert.equal(called.length, 2);
  await maps.delete({ namespace: 'default', name: 'a' });
  await until('end', () => called.length === 3);
  assert.deepEqual(called, ['at once', 'reached', 'gone']);
});

test('which objects belong to an informer follows from its scope', async (t) => {
  const { informers } = await rig(t);
  informers.get(configMaps);
  informers.get(configMaps, { namespace: 'default' });
  informers.get(configMaps, { labelSelector: 'app in (x,y)' });
  informers.get(configMaps, { fieldSelector: 'metadata.name=a' });
  informers.get(things);
  const scopes = (object: KubeObject): string[] =>
    informers.concerned(configMaps, object).map(({ scope }) => JSON.stringify(scope));
  assert.deepEqual(scopes(configMap('b', { namespace: 'other' })), ['{}']);
  assert.deepEqual(scopes(configMap('a', { labels: { app: 'x' } })), [
    '{}',
    '{"namespace":"default"}',
    '{"labelSelector":"app in (x,y)"}',
    '{"fieldSelector":"metadata.name=a"}',
  ]);
});

test('waiting for all informers ends with the signal', async (t) => {
  const { informers } = await rig(t);
  informers.get(configMaps);
  await assert.rejects(informers.synced(AbortSignal.abort(new Error('stopped'))), /stopped/);
});
