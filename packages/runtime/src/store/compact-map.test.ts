import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompactMap } from './compact-map.ts';

interface Thing {
  readonly name: string;
  readonly parts?: readonly { readonly size: number | undefined }[];
}

const thing = (name: string): Thing => ({ name, parts: [{ size: name.length }] });

/** Two are recent, two were so before; whoever else was put in rests. */
function filled(...names: readonly string[]): { map: CompactMap<Thing>; given: Map<string, Thing> } {
  const map = new CompactMap<Thing>({ mostRecent: 2 });
  const given = new Map(names.map((name) => [name, thing(name)]));
  for (const [name, object] of given) map.set(name, object);
  return { map, given };
}

test('an object at rest is read as it was, as another object', () => {
  const { map, given } = filled('a', 'b', 'c', 'd', 'e', 'f');
  assert.notEqual(map.peek('a'), given.get('a'), 'it was put into text');
  assert.deepEqual(map.peek('a'), given.get('a'));
  assert.deepEqual([...map.entries()], [...given], 'in the order they came');
  assert.deepEqual([...map.values()], [...given.values()]);
});

test('objects used lately are the ones that were put in', () => {
  const { map, given } = filled('a', 'b', 'c', 'd');
  for (const name of ['c', 'd']) assert.equal(map.peek(name), given.get(name));
});

test('an object that is read again and again stays the same, however many come and go', () => {
  const { map, given } = filled('a');
  for (let round = 0; round < 20; round++) {
    map.set(`other-${round}`, thing('other'));
    assert.equal(map.get('a'), given.get('a'));
  }
});

test('at most two generations are held as objects', () => {
  const map = new CompactMap<Thing>({ mostRecent: 8 });
  const given = Array.from({ length: 100 }, (_, index) => thing(`n${index}`));
  for (const object of given) map.set(object.name, object);
  for (const object of given) map.get(object.name);
  const looked = given.map(({ name }) => map.peek(name));
  const asObjects = given.filter(({ name }, index) => map.peek(name) === looked[index]);
  assert.ok(asObjects.length <= 16, `${asObjects.length} are held as objects`);
  assert.equal(map.size, 100);
});

test('reading wakes an object, a look at it does not', () => {
  const { map } = filled('a', 'b', 'c', 'd', 'e', 'f');
  assert.notEqual(map.peek('a'), map.peek('a'));
  const awake = map.get('a');
  assert.equal(map.get('a'), awake);
  assert.equal(map.peek('a'), awake);
});

test('what is made from text again is frozen where asked for, like what is put in', () => {
  const { map: loose } = filled('a', 'b', 'c', 'd', 'e');
  assert.equal(Object.isFrozen(loose.get('a')), false);
  const map = new CompactMap<Thing>({ mostRecent: 1, freeze: true });
  for (const name of ['a', 'b', 'c']) map.set(name, thing(name));
  assert.ok(Object.isFrozen(map.get('a')?.parts?.[0]));
});

test('a newer version replaces one at rest, and a removed one is gone for good', () => {
  const { map } = filled('a', 'b', 'c', 'd', 'e');
  map.set('a', { name: 'newer' });
  for (const name of ['x', 'y', 'z']) map.set(name, thing(name));
  assert.deepEqual(map.get('a'), { name: 'newer' });
  map.delete('a');
  for (const name of ['u', 'v', 'w']) map.set(name, thing(name));
  assert.equal(map.get('a'), undefined);
  assert.equal(map.has('a'), false);
  assert.equal(map.size, 10);
});

test('a reader of all of them may read each on the way', () => {
  const { map, given } = filled('a', 'b', 'c', 'd', 'e', 'f', 'g');
  const seen: string[] = [];
  for (const [key] of map.entries()) {
    seen.push(key);
    map.get('a');
    map.get(key);
  }
  assert.deepEqual(seen, [...given.keys()]);
});
