import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { controllerReference } from '#apply/owner-reference.ts';
import { systemClock } from '#clock/clock.ts';
import { Informers } from '#informer/informers.ts';
import { createLogger } from '#log/logger.ts';
import { keyOf, keyText, type ObjectKey } from '#store/key.ts';
import { compareVersions } from '#store/resource-version.ts';
import { ApiFake } from '#testing/index.ts';
import { ApiError } from '#transport/api-error.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import { Connection } from '#transport/connection.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType, resourcePath } from '#transport/resource.ts';
import { until } from '../../test/until.ts';
import { Controller } from './controller.ts';
import type { ControllerOptions, ReconcileContext } from './options.ts';
import { after, done, type Result, TerminalError } from './result.ts';

interface Thing extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const things: ResourceType = { group: 'example.com', version: 'v1', plural: 'things', namespaced: true };
const parts: ResourceType = { group: 'example.com', version: 'v1', plural: 'parts', namespaced: true };

const thing = (name: string, spec: Record<string, unknown> = {}): Thing & Stored => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name, namespace: 'default' },
  spec,
});
const part = (name: string, owner: Thing, spec: Record<string, unknown> = {}): Thing & Stored => ({
  apiVersion: 'example.com/v1',
  kind: 'Part',
  metadata: { name, namespace: 'default', ownerReferences: [controllerReference(owner)] },
  spec,
});

type Stored = Parameters<ApiFake['seed']>[0];
type Body = (key: ObjectKey, context: ReconcileContext) => Promise<Result> | Result;

/** Delivers the watch of one kind only when a test says so. */
class SlowWatch {
  readonly #type: ResourceType;
  #gate: PromiseWithResolvers<void> | undefined;

  constructor(type: ResourceType) {
    this.#type = type;
  }

  hold(): void {
    this.#gate ??= Promise.withResolvers<void>();
  }

  letGo(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  wrap(api: ApiTransport): ApiTransport {
    const held = async function* (
      watch: SlowWatch,
      batches: AsyncIterable<readonly string[]>,
    ): AsyncGenerator<readonly string[]> {
      for await (const batch of batches) {
        await watch.#gate?.promise;
        yield batch;
      }
    };
    return {
      request: (request) => api.request(request),
      exchange: (request) => api.exchange(request),
      stream: (request) => api.stream(request),
      streamBatches: (request) => {
        const batches = api.streamBatches(request);
        return request.path === resourcePath(this.#type) ? held(this, batches) : batches;
      },
    };
  }
}

/** Gives everything that could happen the time to happen. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await systemClock.sleep(1);
}

async function rig(t: TestContext, body: Body, options: Partial<ControllerOptions<Thing>> = {}, watch?: SlowWatch) {
  const fake = await ApiFake.start({
    kinds: [
      { type: things, kind: 'Thing', hasStatus: true },
      { type: parts, kind: 'Part', hasStatus: true },
    ],
  });
  const connection = new Connection(fake.credentials);
  const informers = new Informers({ api: watch?.wrap(connection) ?? connection, clock: systemClock });
  const owners = informers.get<Thing>(things);
  const children = informers.get<Thing>(parts);
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ level: 'debug', destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const passes: string[] = [];
  const controller = new Controller<Thing>({
    name: 'thing',
    for: owners,
    informers,
    api: connection,
    fieldManager: 'us',
    clock: systemClock,
    log,
    limiter: { firstMs: 20, capMs: 100, random: () => 0 },
    reconcile: async (key, context) => {
      passes.push(key.name);
      return body(key, context);
    },
    ...options,
  }).owns(children);
  t.after(async () => {
    watch?.letGo();
    await controller.close();
    await informers.close();
    await connection.close();
    await fake.close();
  });
  const start = async (): Promise<void> => {
    informers.start();
    await informers.synced();
    controller.start();
  };
  /** Nothing is queued, worked on, or ahead of the caches, and all events so far have been seen. */
  const quiet = async (): Promise<void> => {
    const revision = `${fake.revision}`;
    await until('caches that are up to date', () => {
      fake.sendBookmarks();
      return [owners, children].every(({ store }) => compareVersions(store.resourceVersion ?? '0', revision) >= 0);
    });
    await until('quiet', () => controller.queue.length === 0 && controller.queue.unfinishedMs.length === 0);
  };
  return {
    fake,
    connection,
    informers,
    owners,
    children,
    controller,
    passes,
    lines,
    start,
    quiet,
    resource: new Resource<Thing>(connection, things),
  };
}

test('each object is reconciled once, and again when it changes', async (t) => {
  const { fake, passes, start, quiet, resource } = await rig(t, () => done);
  fake.seed(thing('a'));
  fake.seed(thing('b'));
  await start();
  await quiet();
  assert.deepEqual(passes, ['a', 'b']);
  await resource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { x: 1 } });
  await quiet();
  assert.deepEqual(passes, ['a', 'b', 'a']);
});

test('own writes are seen by the next pass and wake nobody', async (t) => {
  const views: unknown[] = [];
  const { passes, start, quiet, resource, owners, children, fake } = await rig(t, async (key, { writer }) => {
    const owner = owners.store.get(keyText(key));
    if (owner === undefined) return done;
    const child = children.store.get(keyText(key));
    views.push([owner.status?.seen, child?.spec?.size]);
    await writer.child(parts, part(key.name, owner, { size: owner.spec?.size }), child);
    await writer.status(things, owner, { seen: owner.spec?.size });
    return done;
  });
  await start();
  await resource.create(thing('a', { size: 1 }));
  await until('status', () => owners.store.get('default/a')?.status?.seen === 1);
  await quiet();
  assert.deepEqual(passes, ['a'], 'neither the part nor the status led to a pass');
  await resource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { size: 2 } });
  await until('status', () => owners.store.get('default/a')?.status?.seen === 2);
  await quiet();
  assert.deepEqual(views, [
    [undefined, undefined],
    [1, 1],
  ]);
  assert.deepEqual(fake.log.tally({ verb: 'write', resource: 'parts' }), { 'create parts': 1, 'patch parts': 2 });
});

test('a key is held back until the cache shows its write, however slow the watch is', async (t) => {
  const watch = new SlowWatch(things);
  const { passes, start, quiet, resource, owners, controller } = await rig(
    t,
    async (key, { writer }) => {
      const owner = owners.store.get(keyText(key));
      if (owner === undefined) return done;
      const count = Number(owner.status?.count ?? 0);
      watch.hold();
      if (count < 3) await writer.status(things, owner, { count: count + 1 });
      return count < 3 ? after(0) : done;
    },
    {},
    watch,
  );
  await start();
  await resource.create(thing('a'));
  for (let n = 1; n <= 3; n++) {
    await until(`pass ${n}`, () => passes.length === n && controller.queue.unfinishedMs.length === 0);
    assert.equal(controller.heldBack, 1);
    await turns(20);
    assert.equal(passes.length, n, 'a pass on an old cache');
    watch.letGo();
  }
  await until('last pass', () => passes.length === 4);
  watch.letGo();
  await quiet();
  assert.deepEqual(passes, ['a', 'a', 'a', 'a']);
  assert.equal(controller.heldBack, 0);
});

test('a key that deleted something is held back until the cache shows it gone', async (t) => {
  const watch = new SlowWatch(parts);
  const { passes, start, resource, owners, children, controller, fake } = await rig(
    t,
    async (key, { writer }) => {
      const owner = owners.store.get(keyText(key));
      const child = children.store.get(keyText(key));
      if (owner === undefined || child === undefined) return done;
      watch.hold();
      assert.equal(await writer.delete(parts, child), 'gone');
      return after(0);
    },
    {},
    watch,
  );
  const owner = await resource.create(thing('a'));
  fake.seed(part('a', owner));
  await start();
  await until('first pass', () => passes.length === 1 && controller.queue.unfinishedMs.length === 0);
  await turns(20);
  assert.equal(passes.length, 1, 'a pass that sees the dead');
  watch.letGo();
  await until('second pass', () => passes.length === 2);
  assert.equal(fake.log.count({ verb: 'delete' }), 1);
});

test('an event that overtakes the answer to its write is an echo all the same', async (t) => {
  const { passes, start, quiet, resource, owners } = await rig(t, async (key, { writer }) => {
    const owner = owners.store.get(keyText(key));
    if (owner === undefined) return done;
    const answer = await writer.status(things, owner, { seen: true });
    // The pass goes on for a while after the cache has the write.
    await until('own event', () => owners.store.get(keyText(key))?.metadata.resourceVersion === answer.metadata.resourceVersion);
    return done;
  });
  await start();
  await resource.create(thing('a'));
  await until('first pass', () => passes.length === 1);
  await quiet();
  assert.deepEqual(passes, ['a']);
});

test('the end of a child just made wakes the owner, also during the pass that made it', async (t) => {
  const { passes, start, quiet, resource, owners, children, connection } = await rig(t, async (key, { writer }) => {
    const owner = owners.store.get(keyText(key));
    if (owner === undefined) return done;
    const child = await writer.child(parts, part(key.name, owner), children.store.get(keyText(key)));
    if (passes.length > 1) return done;
    await until('part', () => children.store.size === 1);
    await new Resource<Thing>(connection, parts).delete({ namespace: 'default', name: child.metadata.name ?? '' });
    await until('no part', () => children.store.size === 0);
    return done;
  });
  await start();
  await resource.create(thing('a'));
  await until('part made again', () => passes.length === 2);
  await quiet();
  assert.deepEqual(passes, ['a', 'a']);
});

test('the change of somebody else during a pass is never taken for an echo', async (t) => {
  const { start, quiet, resource, owners, passes } = await rig(t, async (key, { writer }) => {
    const owner = owners.store.get(keyText(key));
    if (owner === undefined) return done;
    if (owner.spec?.x === undefined) {
      const answer = await writer.status(things, owner, { seen: true });
      // The next version is not ours, although it comes right behind our own.
      await resource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { x: 1 } });
      assert.ok(answer.metadata.resourceVersion !== undefined);
    }
    return done;
  });
  await start();
  await resource.create(thing('a'));
  await until('second pass', () => passes.length === 2);
  await quiet();
  assert.deepEqual(passes, ['a', 'a']);
});

test('a child that is removed or edited by hand wakes its owner', async (t) => {
  const { start, quiet, resource, owners, children, passes, connection } = await rig(t, async (key, { writer }) => {
    const owner = owners.store.get(keyText(key));
    if (owner !== undefined) await writer.child(parts, part(key.name, owner, { size: 1 }), children.store.get(keyText(key)));
    return done;
  });
  const childResource = new Resource<Thing>(connection, parts);
  await start();
  await resource.create(thing('a'));
  await until('part', () => children.store.size === 1);
  await childResource.delete({ namespace: 'default', name: 'a' });
  await until('second pass', () => passes.length === 2);
  await quiet();
  await childResource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { size: 7 } });
  await until('repair', async () => (await childResource.get({ namespace: 'default', name: 'a' })).spec?.size === 1);
  await quiet();
  assert.deepEqual(passes, ['a', 'a', 'a']);
});

test('a deletion of ours that is complete wakes the owner: somebody may have waited for it', async (t) => {
  const { start, quiet, resource, owners, children, passes } = await rig(t, async (key, { writer }) => {
    const owner = owners.store.get(keyText(key));
    const child = children.store.get(keyText(key));
    if (owner === undefined) return done;
    if (owner.spec?.remove !== true) await writer.child(parts, part(key.name, owner), child);
    else if (child !== undefined) await writer.delete(parts, child);
    return done;
  });
  await start();
  await resource.create(thing('a'));
  await until('part', () => children.store.size === 1);
  await resource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { remove: true } });
  await until('third pass', () => passes.length === 3);
  await quiet();
  assert.deepEqual(passes, ['a', 'a', 'a']);
});

test('a key is never in two passes at once, others are', async (t) => {
  let running = 0;
  let most = 0;
  const own = new Set<string>();
  const gate = Promise.withResolvers<void>();
  const { start, quiet, fake, resource, passes } = await rig(
    t,
    async ({ name }) => {
      assert.ok(!own.has(name), `${name} is in two passes`);
      own.add(name);
      most = Math.max(most, ++running);
      await gate.promise;
      running--;
      own.delete(name);
      return done;
    },
    { workers: 3 },
  );
  for (const name of ['a', 'b', 'c', 'd', 'e']) fake.seed(thing(name));
  await start();
  await until('three passes', () => running === 3);
  await resource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { x: 1 } });
  gate.resolve();
  await until('all passes', () => passes.length === 6);
  await quiet();
  assert.equal(most, 3);
  assert.deepEqual(passes.toSorted(), ['a', 'a', 'b', 'c', 'd', 'e']);
});

test('an error is retried with a growing wait; success ends the row', async (t) => {
  const failures: number[] = [];
  const { start, fake, passes, lines } = await rig(t, (_, context) => {
    failures.push(context.failures);
    if (passes.length !== 4) throw new Error('not yet');
    return after(0);
  });
  fake.seed(thing('a'));
  await start();
  await until('sixth pass', () => passes.length >= 6);
  assert.deepEqual(failures.slice(0, 6), [0, 1, 2, 3, 0, 1]);
  const reports = lines.filter(({ msg }) => msg === 'reconcile failed');
  assert.deepEqual(
    reports.slice(0, 5).map(({ retryInMs }) => retryInMs),
    [20, 40, 80, 20, 40],
  );
  assert.deepEqual(new Set(reports.map(({ controller, object }) => `${controller} ${object}`)), new Set(['thing default/a']));
  assert.equal(new Set(reports.map(({ reconcile }) => reconcile)).size, reports.length, 'each pass has an id of its own');
});

test('the time a server asks for is the least to wait', async (t) => {
  const { start, fake, passes, lines } = await rig(t, (_, { failures }) => {
    if (failures === 0) throw new ApiError(503, undefined, 'GET /', 150);
    return done;
  });
  fake.seed(thing('a'));
  await start();
  await until('second pass', () => passes.length === 2);
  assert.equal(lines.find(({ msg }) => msg === 'reconcile failed')?.retryInMs, 150);
});

test('conflicts are retried soon, however many there are', async (t) => {
  const waits: unknown[] = [];
  const { start, fake, lines } = await rig(t, () => {
    throw new ApiError(409, { kind: 'Status', reason: 'Conflict' }, 'PUT /');
  });
  fake.seed(thing('a'));
  await start();
  const conflicts = (): typeof lines => lines.filter(({ msg }) => msg === 'reconcile met a newer version');
  await until('eight conflicts', () => conflicts().length >= 8);
  waits.push(...conflicts().map(({ retryInMs }) => retryInMs));
  assert.ok(
    waits.every((ms) => Number(ms) <= 1100),
    String(waits),
  );
});

test('a terminal error rests until something changes', async (t) => {
  const { start, quiet, resource, passes, lines, controller } = await rig(t, () => {
    throw new TerminalError('the size must be positive');
  });
  await start();
  await resource.create(thing('a'));
  await until('first pass', () => passes.length === 1);
  await quiet();
  assert.equal(controller.queue.delayed, 0);
  assert.ok(lines.some(({ msg }) => msg === 'reconcile failed for good; waiting for a change'));
  await resource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { x: 1 } });
  await until('second pass', () => passes.length === 2);
});

test('a pass that takes too long has its signal aborted and is retried', async (t) => {
  const { start, fake, passes, lines } = await rig(
    t,
    (_, { signal, failures }) => (failures > 0 ? done : systemClock.sleep(60_000, signal).then(() => done)),
    { timeoutMs: 30 },
  );
  fake.seed(thing('a'));
  await start();
  await until('second pass', () => passes.length === 2);
  const report = lines.find(({ msg }) => msg === 'reconcile failed');
  assert.match(JSON.stringify(report?.err), /the pass did not end within 0.03 s/);
});

test('what a pass left running is stopped when the pass ends, however it ends', async (t) => {
  const left: string[] = [];
  const { start, fake, passes } = await rig(t, ({ name }, { signal, failures }) => {
    systemClock.sleep(60_000, signal).catch((error: Error) => left.push(`${name}: ${error.message}`));
    if (name === 'bad' && failures === 0) throw new Error('no luck');
    return done;
  });
  fake.seed(thing('good'));
  fake.seed(thing('bad'));
  await start();
  await until('three passes', () => passes.length === 3 && left.length === 3);
  const words = 'the pass has ended, and with it all it left running';
  assert.deepEqual(left.toSorted(), [`bad: ${words}`, `bad: ${words}`, `good: ${words}`]);
});

test('after() brings the key back; a change before that replaces the wait', async (t) => {
  const { start, quiet, fake, passes, controller, resource } = await rig(t, () => (passes.length === 1 ? after(60_000) : done));
  fake.seed(thing('a'));
  await start();
  await until('delay', () => controller.queue.delayed === 1);
  await resource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { x: 1 } });
  await until('second pass', () => passes.length === 2);
  await quiet();
  assert.equal(controller.queue.delayed, 0);
  assert.throws(() => after(Number.NaN), /got NaN/);
  assert.throws(() => after(-1), /got -1/);
});

test('watches maps over an index, for the object as it was and as it is', async (t) => {
  const { start, quiet, fake, passes, controller, children, owners, connection } = await rig(t, () => done);
  owners.addIndex('uses', (object) => [String(object.spec?.uses)]);
  controller.watches(children, (child) => owners.store.byIndex('uses', String(child.spec?.provides)).map(keyOf));
  fake.seed(thing('a', { uses: 'x' }));
  fake.seed(thing('b', { uses: 'y' }));
  fake.seed(thing('c', { uses: 'z' }));
  fake.seed({
    apiVersion: 'example.com/v1',
    kind: 'Part',
    metadata: { name: 'p', namespace: 'default' },
    spec: { provides: 'x' },
  });
  await start();
  await quiet();
  passes.length = 0;
  await new Resource<Thing>(connection, parts).mergePatch({ namespace: 'default', name: 'p' }, { spec: { provides: 'y' } });
  await until('both passes', () => passes.length === 2);
  await quiet();
  assert.deepEqual(passes.toSorted(), ['a', 'b']);
});

test('changes that a condition refuses wake nobody', async (t) => {
  const { start, quiet, fake, passes, controller, children, connection } = await rig(t, () => done);
  controller.watches(children, () => ['default/a'], { when: (change) => change.type !== 'updated' });
  fake.seed(thing('a'));
  fake.seed({ apiVersion: 'example.com/v1', kind: 'Part', metadata: { name: 'p', namespace: 'default' } });
  await start();
  await quiet();
  passes.length = 0;
  const resource = new Resource<Thing>(connection, parts);
  await resource.mergePatch({ namespace: 'default', name: 'p' }, { spec: { x: 1 } });
  await quiet();
  assert.deepEqual(passes, []);
  await resource.delete({ namespace: 'default', name: 'p' });
  await until('pass', () => passes.length === 1);
});

test('updates that may wait for others make one pass with them, and an end does not wait', async (t) => {
  let gatherMs = 200;
  const { start, quiet, fake, passes, controller, children, connection } = await rig(t, () => done);
  controller.watches(children, () => ['default/a'], { gatherMs: () => gatherMs });
  fake.seed(thing('a'));
  fake.seed({ apiVersion: 'example.com/v1', kind: 'Part', metadata: { name: 'p', namespace: 'default' } });
  await start();
  await quiet();
  passes.length = 0;
  const resource = new Resource<Thing>(connection, parts);
  for (const x of [1, 2, 3]) await resource.mergePatch({ namespace: 'default', name: 'p' }, { spec: { x } });
  await until('a pass', () => passes.length > 0);
  await quiet();
  assert.deepEqual(passes, ['a']);
  gatherMs = 3_600_000;
  await resource.mergePatch({ namespace: 'default', name: 'p' }, { spec: { x: 4 } });
  await resource.delete({ namespace: 'default', name: 'p' });
  await until('another pass', () => passes.length === 2);
});

test('what a person changes goes before what was found at the start', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { start, fake, passes, resource, controller, owners } = await rig(
    t,
    async () => {
      if (passes.length === 1) await gate.promise;
      return done;
    },
    { workers: 1 },
  );
  for (let i = 0; i < 10; i++) fake.seed(thing(`old-${i}`));
  await start();
  await until('first pass', () => passes.length === 1);
  await resource.create(thing('new'));
  await resource.delete({ namespace: 'default', name: 'old-9' });
  await until('both events', () => owners.store.get('default/old-9') === undefined && controller.queue.length === 10);
  gate.resolve();
  await until('all passes', () => passes.length === 11);
  assert.deepEqual(passes.slice(0, 4), ['old-0', 'old-9', 'new', 'old-1']);
});

test('closing ends the passes under way by their signal and begins no other', async (t) => {
  const ended: unknown[] = [];
  const { start, fake, passes, controller } = await rig(
    t,
    async (_, { signal }) => {
      await systemClock.sleep(60_000, signal).catch((error: Error) => ended.push(error.message));
      signal.throwIfAborted();
      return done;
    },
    { workers: 1 },
  );
  fake.seed(thing('a'));
  fake.seed(thing('b'));
  await start();
  await until('first pass', () => passes.length === 1);
  await controller.close();
  assert.deepEqual(ended, ['the controller thing is stopping']);
  assert.deepEqual(passes, ['a']);
});

test('a key that was handed out in the moment of closing is not reconciled', async (t) => {
  const { start, passes, controller } = await rig(t, () => done);
  await start();
  controller.queue.add('default/late');
  await controller.close();
  assert.deepEqual([passes, controller.queue.unfinishedMs], [[], []]);
});

test('outcomes are told to the observer', async (t) => {
  const outcomes: string[] = [];
  const results: Body[] = [
    () => after(1),
    () => {
      throw new Error('x');
    },
    () => {
      throw new ApiError(409, { kind: 'Status', reason: 'Conflict' }, 'PUT /');
    },
    () => {
      throw new TerminalError('x');
    },
    () => done,
  ];
  const { start, fake, passes, resource } = await rig(t, (key, context) => (results[passes.length - 1] as Body)(key, context), {
    observer: { passEnded: (outcome) => outcomes.push(outcome) },
  });
  fake.seed(thing('a'));
  await start();
  await until('terminal error', () => outcomes.length === 4);
  await resource.mergePatch({ namespace: 'default', name: 'a' }, { spec: { x: 1 } });
  await until('last pass', () => outcomes.length === 5);
  assert.deepEqual(outcomes, ['requeue_after', 'error', 'conflict', 'terminal', 'success']);
});
