import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';
import { ApiFake } from '../api-fake/api-fake.ts';
import { FaultProxy } from '../fault-proxy/fault-proxy.ts';
import type { FaultPlan } from '../fault-proxy/plan.ts';
import { hurriedClock } from '../hurried-clock.ts';
import { type Invariant, Observer } from './observer.ts';

interface Data extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const maps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
const secrets: ResourceType = { group: '', version: 'v1', plural: 'secrets', namespaced: true };
const object = (kind: string, name: string, data: Record<string, string> = {}): Data => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default' },
  data,
});

/** Bookmarks that the real server sends after a second come after a few milliseconds. */
const hurried = hurriedClock(50);

class Rig {
  readonly fake: ApiFake;
  readonly proxy: FaultProxy;
  readonly connection: Connection;
  readonly watching: Connection;
  readonly maps: Resource<Data>;
  readonly secrets: Resource<Data>;

  constructor(fake: ApiFake, proxy: FaultProxy) {
    this.fake = fake;
    this.proxy = proxy;
    this.connection = new Connection(fake.credentials);
    this.watching = new Connection(proxy.credentials);
    this.maps = new Resource(this.connection, maps);
    this.secrets = new Resource(this.connection, secrets);
  }

  /** An observer's own connection goes through a proxy here, because it is the observer that is under test. */
  static async start(plan: FaultPlan = { rules: [] }): Promise<Rig> {
    const fake = await ApiFake.start({ clock: hurried });
    return new Rig(fake, await FaultProxy.start({ upstream: fake.credentials, plan }));
  }

  observe(invariants: Record<string, Invariant> = {}): Promise<Observer> {
    return Observer.start({ connection: this.watching, kinds: [maps, secrets], invariants, clock: hurried });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
    await this.watching.close();
    await this.proxy.close();
    await this.fake.close();
  }
}

const inWords = (observer: Observer): string[] =>
  observer.history.map(({ type, resource, object: { metadata } }) => `${type} ${resource.plural} ${metadata.name}`);

test('changes of all kinds are seen in the order they were made, from the state at the start on', async () => {
  await using rig = await Rig.start();
  await rig.secrets.create(object('Secret', 'before'));
  await using observer = await rig.observe();
  await rig.maps.create(object('ConfigMap', 'a'));
  await rig.secrets.create(object('Secret', 'b'));
  await rig.maps.replace(object('ConfigMap', 'a', { key: 'value' }));
  await rig.secrets.delete({ name: 'b', namespace: 'default' });
  await rig.maps.create(object('ConfigMap', 'c'));
  await observer.caughtUp();
  assert.deepEqual(inWords(observer), [
    'INITIAL secrets before',
    'ADDED configmaps a',
    'ADDED secrets b',
    'MODIFIED configmaps a',
    'DELETED secrets b',
    'ADDED configmaps c',
  ]);
  assert.deepEqual(
    observer.historyOf(maps, { name: 'a', namespace: 'default' }).map(({ previous }) => (previous as Data | undefined)?.data),
    [undefined, {}],
  );
  assert.deepEqual(
    observer.world.list(maps).map(({ metadata }) => metadata.name),
    ['a', 'c'],
  );
  assert.equal(observer.world.get<Data>(maps, { name: 'a', namespace: 'default' })?.data?.key, 'value');
  observer.assertClean();
});

test('an invariant broken for one version only is reported with that version and what led to it', async () => {
  await using rig = await Rig.start();
  await using observer = await rig.observe({
    'at most two maps': (world) => (world.list(maps).length > 2 ? `there are ${world.list(maps).length} maps` : undefined),
  });
  for (const name of ['a', 'b', 'c']) await rig.maps.create(object('ConfigMap', name));
  const guilty = await rig.maps.get({ name: 'c', namespace: 'default' });
  await rig.maps.delete({ name: 'c', namespace: 'default' });
  await observer.caughtUp();
  assert.deepEqual(
    observer.violations.map(({ invariant, sentence, event }) => [invariant, sentence, String(event.revision)]),
    [['at most two maps', 'there are 3 maps', guilty.metadata.resourceVersion]],
  );
  assert.throws(
    () => observer.assertClean(),
    (error: Error) => {
      assert.match(error.message, /at most two maps: there are 3 maps\n {2}at version \d+; the last events up to it:\n/);
      assert.match(
        error.message,
        /ADDED configmaps default\/a .*\n.*ADDED configmaps default\/b .*\n.*ADDED configmaps default\/c /,
      );
      return true;
    },
  );
});

test('an invariant across kinds sees both at the same version', async () => {
  await using rig = await Rig.start();
  const pairs: string[] = [];
  await using observer = await rig.observe({
    pairs: (world, { revision }) => {
      pairs.push(`${revision}: ${world.list(maps).length} maps, ${world.list(secrets).length} secrets`);
      return undefined;
    },
  });
  const start = rig.fake.revision;
  for (const name of ['a', 'b']) {
    await rig.maps.create(object('ConfigMap', name));
    await rig.secrets.create(object('Secret', name));
  }
  await observer.caughtUp();
  assert.deepEqual(pairs, [
    `${start + 1}: 1 maps, 0 secrets`,
    `${start + 2}: 1 maps, 1 secrets`,
    `${start + 3}: 2 maps, 1 secrets`,
    `${start + 4}: 2 maps, 2 secrets`,
  ]);
});

test('what is there at the start is judged too', async () => {
  await using rig = await Rig.start();
  await rig.maps.create(object('ConfigMap', 'bad'));
  await using observer = await rig.observe({
    'no bad map': (_, event) => (event.object.metadata.name === 'bad' ? 'a bad map' : undefined),
  });
  assert.equal(observer.violations.length, 1);
});

const breaks: Record<string, FaultPlan['rules'][number]> = {
  'closed after every event': { on: 'request', match: { verb: 'watch' }, do: { fault: 'close-watch', afterEvents: 1 } },
  'reset after every event': {
    on: 'request',
    match: { verb: 'watch' },
    do: { fault: 'close-watch', afterEvents: 1, how: 'reset' },
  },
  'refused now and then': { on: 'request', match: { verb: 'watch' }, share: 0.5, do: { fault: 'answer', code: 503 } },
};
for (const [name, rule] of Object.entries(breaks)) {
  test(`nothing is missed when the watch is ${name}`, async () => {
    await using rig = await Rig.start({ seed: 3, rules: [rule] });
    await using observer = await rig.observe();
    for (let index = 0; index < 10; index++) await rig.maps.create(object('ConfigMap', `map-${index}`));
    await observer.caughtUp();
    assert.deepEqual(
      inWords(observer),
      Array.from({ length: 10 }, (_, index) => `ADDED configmaps map-${index}`),
    );
    observer.assertClean();
  });
}

test('events a server has forgotten are found again from the states they led to', async () => {
  await using rig = await Rig.start({
    rules: [
      { on: 'request', match: { verb: 'watch' }, nth: [1, 2], do: { fault: 'hold', gate: 'restarted' } },
      { on: 'request', match: { verb: 'watch' }, nth: { from: 3 }, do: { fault: 'expire', as: 'event' } },
    ],
  });
  await rig.maps.create(object('ConfigMap', 'old'));
  await using observer = await rig.observe();
  await rig.maps.create(object('ConfigMap', 'a'));
  await rig.maps.replace(object('ConfigMap', 'a', { key: 'value' }));
  await rig.secrets.create(object('Secret', 'short-lived'));
  await rig.secrets.delete({ name: 'short-lived', namespace: 'default' });
  await rig.maps.delete({ name: 'old', namespace: 'default' });
  const deletion = String(rig.fake.revision);
  rig.proxy.disconnectAll();
  await observer.caughtUp();
  assert.deepEqual(inWords(observer), [
    'INITIAL configmaps old',
    'ADDED configmaps a',
    'MODIFIED configmaps a',
    'ADDED secrets short-lived',
    'DELETED secrets short-lived',
    'DELETED configmaps old',
  ]);
  assert.equal(observer.history.at(-1)?.object.metadata.resourceVersion, deletion);
  assert.ok(rig.proxy.log.entries.every(({ sort }) => sort === 'request'));
});

test('a hole in the history is a failure, not a fresh start', async () => {
  await using rig = await Rig.start({
    rules: [{ on: 'request', match: { verb: 'watch', resource: 'configmaps' }, do: { fault: 'hold', gate: 'reconnect' } }],
  });
  const observer = await rig.observe();
  await rig.maps.create(object('ConfigMap', 'a'));
  rig.fake.compact();
  const waiting = observer.caughtUp();
  rig.proxy.open('reconnect');
  await assert.rejects(waiting, /the history of configmaps has a hole after version \d+/);
  assert.throws(() => observer.assertClean(), /has a hole/);
  await assert.rejects(observer.close(), /has a hole/);
});

test('a kind that does not answer is named when patience ends', async () => {
  await using rig = await Rig.start({
    rules: [{ on: 'request', match: { verb: 'watch', resource: 'secrets' }, do: { fault: 'blackhole' } }],
  });
  await using observer = await rig.observe();
  await rig.maps.create(object('ConfigMap', 'a'));
  await assert.rejects(
    observer.caughtUp(undefined, 5000),
    /after 5 s the server has not shown these kinds up to version \d+: secrets \(known up to \d+\)/,
  );
});
