import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '#transport/kube-object.ts';
import { deepFreeze } from './freeze.ts';
import { parseKey } from './key.ts';
import { compareVersions } from './resource-version.ts';
import { type Change, Store } from './store.ts';

interface Thing extends KubeObject {
  readonly spec?: { readonly color?: string };
}

const thing = (name: string, version: number, more: { uid?: string; color?: string } = {}): Thing =>
  deepFreeze({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { namespace: 'ns', name, uid: more.uid ?? `uid-${name}`, resourceVersion: `${version}` },
    spec: more.color === undefined ? {} : { color: more.color },
  });
const byColor = (object: Thing): string[] => (object.spec?.color === undefined ? [] : [object.spec.color]);
const words = (changes: readonly Change<Thing>[]): string[] =>
  changes.map(
    (change) =>
      `${change.type} ${change.key}${change.type === 'updated' ? ` ${change.old.metadata.resourceVersion}->${change.new.metadata.resourceVersion}` : ''}`,
  );

test('a list is a set of adds, updates and deletes against what was known', () => {
  const store = new Store<Thing>();
  assert.equal(store.resourceVersion, undefined);
  assert.deepEqual(words(store.replace([thing('a', 1), thing('b', 2), thing('c', 3)], '3')), [
    'added ns/a',
    'added ns/b',
    'added ns/c',
  ]);
  const before = store.get('ns/a');
  assert.deepEqual(words(store.replace([thing('a', 1), thing('b', 5), thing('d', 4)], '6')), [
    'deleted ns/c',
    'updated ns/b 2->5',
    'added ns/d',
  ]);
  assert.equal(store.get('ns/a'), before, 'an unchanged object keeps its identity');
  assert.equal(store.resourceVersion, '6');
});

test('an object made anew under the same name is a delete and an add, in a list and as an event', () => {
  const store = new Store<Thing>();
  store.replace([thing('a', 1), thing('b', 1)], '1');
  assert.deepEqual(words(store.replace([thing('a', 4, { uid: 'other' }), thing('b', 1)], '5')), ['deleted ns/a', 'added ns/a']);
  assert.deepEqual(words(store.put(thing('b', 7, { uid: 'other' }))), ['deleted ns/b', 'added ns/b']);
});

test('a repeated event and an older one change nothing', () => {
  const store = new Store<Thing>();
  store.put(thing('a', 10));
  assert.deepEqual(store.put(thing('a', 10)), []);
  assert.deepEqual(store.put(thing('a', 9)), [], 'nine is older than ten, though not as text');
  assert.equal(store.get('ns/a')?.metadata.resourceVersion, '10');
});

test('a repeated event does not bring back what is gone', () => {
  const store = new Store<Thing>();
  store.replace([thing('listed', 3)], '5');
  store.put(thing('a', 6));
  store.remove(thing('a', 7));
  assert.deepEqual(store.put(thing('a', 6)), []);
  assert.deepEqual(store.put(thing('gone-before-the-list', 5)), []);
  store.advance('9');
  assert.deepEqual(store.put(thing('gone-before-the-bookmark', 9)), []);
  assert.deepEqual([[...store.values()].length, store.resourceVersion], [1, '9']);
  assert.deepEqual(words(store.put(thing('a', 10, { uid: 'again' }))), ['added ns/a'], 'made anew');
});

test('after a list that goes back in time, what comes after it is news', () => {
  const store = new Store<Thing>();
  store.replace([thing('a', 90)], '100');
  assert.deepEqual(words(store.replace([], '60')), ['deleted ns/a']);
  assert.deepEqual(words(store.put(thing('a', 61))), ['added ns/a']);
});

test('the late deletion of a predecessor does not take the successor away', () => {
  const store = new Store<Thing>();
  store.put(thing('a', 12, { uid: 'new' }));
  assert.deepEqual(store.remove(thing('a', 11, { uid: 'old' })), []);
  assert.equal(store.size, 1);
  assert.deepEqual(words(store.remove(thing('a', 13, { uid: 'new' }))), ['deleted ns/a']);
  assert.deepEqual(store.remove(thing('a', 13, { uid: 'new' })), [], 'twice is once');
});

test('an index follows every change, and an index made late knows what was there', () => {
  const store = new Store<Thing>();
  store.addIndex('color', byColor);
  store.replace([thing('a', 1, { color: 'red' }), thing('b', 1, { color: 'red' }), thing('c', 1)], '1');
  const red = (): (string | undefined)[] => store.byIndex('color', 'red').map(({ metadata }) => metadata.name);
  assert.deepEqual(red(), ['a', 'b']);
  store.put(thing('a', 2, { color: 'blue' }));
  assert.deepEqual(red(), ['b']);
  assert.equal(store.countByIndex('color', 'blue'), 1);
  store.remove(thing('b', 3, { color: 'red' }));
  assert.deepEqual(red(), []);
  store.addIndex('late', byColor);
  assert.equal(store.byIndex('late', 'blue')[0], store.get('ns/a'));
});

test('an index made late leaves out what its function throws on, and is made all the same', () => {
  const failures: Error[] = [];
  const store = new Store<Thing>({ onIndexFailure: (error) => failures.push(error) });
  store.replace([thing('a', 1), thing('b', 1, { color: 'red' })], '1');
  store.addIndex('color', (object) => {
    if (object.spec?.color === undefined) throw new Error('no color');
    return byColor(object);
  });
  assert.deepEqual(store.keysByIndex('color', 'red'), ['ns/b']);
  assert.deepEqual(
    failures.map(({ message }) => message),
    ['the index "color" leaves out ns/a: its function failed: no color'],
  );
});

test('an index gives objects in the order of their last changes', () => {
  const store = new Store<Thing>();
  store.addIndex('color', byColor);
  store.replace([thing('a', 1, { color: 'red' }), thing('b', 2, { color: 'red' }), thing('c', 3, { color: 'red' })], '3');
  store.put(thing('a', 4, { color: 'red' }));
  assert.deepEqual(store.keysByIndex('color', 'red'), ['ns/b', 'ns/c', 'ns/a']);
});

test('an index that was never made, or made twice with another function, is a mistake with a name', () => {
  const store = new Store<Thing>();
  assert.throws(() => store.byIndex('color', 'red'), /there is no index "color"/);
  store.addIndex('color', byColor);
  store.addIndex('color', byColor);
  assert.throws(() => store.addIndex('color', () => []), /an index "color" with another function exists already/);
});

test('a bookmark moves the version forward, never back', () => {
  const store = new Store<Thing>();
  store.replace([], '100');
  store.advance('99');
  assert.equal(store.resourceVersion, '100');
  store.advance('1000');
  assert.equal(store.resourceVersion, '1000');
});

test('versions compare as integers of any length', () => {
  assert.ok(compareVersions('9', '10') < 0);
  assert.ok(compareVersions('123456789012345678901', '123456789012345678900') > 0);
  assert.equal(compareVersions('7', '7'), 0);
});

test('keys of both scopes survive the way to text and back', () => {
  assert.deepEqual(parseKey('ns/a'), { namespace: 'ns', name: 'a' });
  assert.deepEqual(parseKey('a'), { name: 'a' });
});
