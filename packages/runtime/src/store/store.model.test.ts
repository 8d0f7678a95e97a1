import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '#transport/kube-object.ts';
import { runModel } from '../../test/run-model.ts';
import { keyOf } from './key.ts';
import { type Change, Store } from './store.ts';

interface Thing extends KubeObject {
  readonly color: string;
}

/** A cluster with a history, which is what the store is told about: in order, but also late, twice, or not at all until the next list. */
class Cluster {
  version = 0;
  readonly live = new Map<string, Thing>();

  write(name: string, color: string): Thing {
    const uid = this.live.get(name)?.metadata.uid ?? `uid-${this.version + 1}`;
    return this.#store({ apiVersion: 'v1', kind: 'Thing', metadata: { name, uid, resourceVersion: `${++this.version}` }, color });
  }

  remove(name: string): Thing | undefined {
    const object = this.live.get(name);
    if (object === undefined) return undefined;
    this.live.delete(name);
    return { ...object, metadata: { ...object.metadata, resourceVersion: `${++this.version}` } };
  }

  #store(object: Thing): Thing {
    this.live.set(keyOf(object), object);
    return object;
  }
}

type Step =
  | { do: 'write'; name: string; color: string; seen: boolean }
  | { do: 'remove'; name: string; seen: boolean }
  | { do: 'list' }
  | { do: 'replay'; back: number };

const name = fc.integer({ min: 0, max: 7 }).map((n) => `n${n}`);
/** An odd one is in no index: the function throws on it. */
const color = fc.constantFrom('red', 'green', 'blue', 'odd');
const seen = fc.boolean();
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), name, color, seen }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name, seen }) },
  { weight: 1, arbitrary: fc.constant({ do: 'list' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('replay' as const), back: fc.nat(5) }) },
);

const odd = new Error('an odd color');

test('the store does what a simple model does', async (t) => {
  await runModel(t, { operations: 100_000, perRun: 150, step }, (steps) => {
    const cluster = new Cluster();
    // Of eight objects at most four are not at rest.
    const store = new Store<Thing>({ mostRecent: 2 });
    store.addIndex('color', (object) => {
      if (object.color === 'odd') throw odd;
      return [object.color];
    });
    /** What a reader of changes believes; it must never differ from the store. */
    const believed = new Map<string, Thing>();
    /** What the store must hold: the newest that was told, by the rule that no object goes back. */
    const told = new Map<string, Thing>();
    /** The newest version of all that was told. */
    let position = 0;
    const events: { deleted: boolean; object: Thing }[] = [];

    const follow = (changes: readonly Change<Thing>[]): void => {
      for (const change of changes) {
        const known = believed.get(change.key);
        if (change.type === 'added') assert.equal(known, undefined, 'added what was there');
        else assert.deepEqual(known, change.old, 'the old object is not the one told before');
        if (change.type === 'updated')
          assert.equal(change.old.metadata.uid, change.new.metadata.uid, 'another object is no update');
        if (change.type === 'deleted') believed.delete(change.key);
        else believed.set(change.key, change.new);
      }
    };
    const deliver = ({ deleted, object }: { deleted: boolean; object: Thing }): void => {
      const key = keyOf(object);
      const held = told.get(key);
      const version = Number(object.metadata.resourceVersion);
      if (deleted && held !== undefined && version >= Number(held.metadata.resourceVersion)) told.delete(key);
      if (!deleted && version > position) told.set(key, object);
      position = Math.max(position, version);
      follow(deleted ? store.remove(object) : store.put(object));
    };

    for (const next of steps) {
      if (next.do === 'list') {
        told.clear();
        for (const [key, object] of cluster.live) told.set(key, object);
        position = cluster.version;
        follow(store.replace([...cluster.live.values()], `${cluster.version}`));
        assert.equal(store.resourceVersion, `${cluster.version}`);
        events.length = 0;
      } else if (next.do === 'replay') {
        const event = events.at(-1 - next.back);
        if (event !== undefined) deliver(event);
      } else {
        const object = next.do === 'write' ? cluster.write(next.name, next.color) : cluster.remove(next.name);
        if (object === undefined || !next.seen) continue;
        const event = { deleted: next.do === 'remove', object };
        events.push(event);
        deliver(event);
      }
      assert.deepEqual(new Map(store.entries()), told);
      assert.deepEqual(believed, told);
      assert.equal(store.countByIndex('color', 'odd'), 0);
      for (const value of ['red', 'green', 'blue']) {
        const want = [...told.values()].filter((object) => object.color === value);
        assert.deepEqual(new Set(store.byIndex('color', value)), new Set(want));
        assert.deepEqual(new Set(store.keysByIndex('color', value)), new Set(want.map(keyOf)));
        assert.equal(store.countByIndex('color', value), want.length);
      }
    }
  });
});
