import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppliedMemory } from './applied-memory.ts';
import { isCovered, projection } from './coverage.ts';
import { canonicalJson, digest, isSameJson } from './digest.ts';

const cases: Record<string, { desired: unknown; actual: unknown; want: boolean }> = {
  'equal values': { desired: { a: 1, b: [true, null] }, actual: { a: 1, b: [true, null] }, want: true },
  'more keys than desired': { desired: { a: { b: 1 } }, actual: { a: { b: 1, c: 2 }, d: 3 }, want: true },
  'a key is missing': { desired: { a: 1, b: 2 }, actual: { a: 1 }, want: false },
  'another value': { desired: { a: 1 }, actual: { a: 2 }, want: false },
  'another type': { desired: { a: '1' }, actual: { a: 1 }, want: false },
  'undefined means nothing is said': { desired: { a: undefined }, actual: {}, want: true },
  'items of a list may have defaults filled in': { desired: [{ name: 'x' }], actual: [{ name: 'x', port: 1 }], want: true },
  'a longer list is another list': { desired: ['a'], actual: ['a', 'b'], want: false },
  'another order is another list': { desired: ['a', 'b'], actual: ['b', 'a'], want: false },
  'an object is no list': { desired: [], actual: {}, want: false },
  'null is no object': { desired: { a: {} }, actual: { a: null }, want: false },
};
for (const [name, { desired, actual, want }] of Object.entries(cases)) {
  test(`covered or not: ${name}`, () => assert.equal(isCovered(desired, actual), want));
}

test('a projection has what desired speaks about, lists whole', () => {
  assert.deepEqual(projection({ a: { b: 1 }, l: [1] }, { a: { b: 2, c: 3 }, l: [4, 5], z: 6 }), { a: { b: 2 }, l: [4, 5] });
});

test('a digest does not depend on the order of keys, but on everything else', () => {
  assert.equal(digest({ a: 1, b: { c: [1, 2], d: undefined } }), digest({ b: { c: [1, 2] }, a: 1 }));
  assert.notEqual(digest({ a: [1, 2] }), digest({ a: [2, 1] }));
  assert.equal(canonicalJson({ b: 'ü"', a: [undefined, null] }), '{"a":[null,null],"b":"ü\\""}');
});

test('two pieces of data say the same when their canonical forms are the same', () => {
  const leaf = fc.constantFrom<unknown>(undefined, null, true, 0, 1, '', 'a');
  const { data } = fc.letrec<{ data: unknown }>((tie) => ({
    data: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('data'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('data'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(data, data, (a, b) => isSameJson(a, b) === (canonicalJson(a) === canonicalJson(b))),
    { numRuns: 5000 },
  );
  fc.assert(fc.property(data, (a) => isSameJson(a, structuredClone(a))));
});

test('the memory knows what the server makes of a manifest, until one of both changes', () => {
  const memory = new AppliedMemory();
  const desired = { cpu: '1000m' };
  const answer = { cpu: '1', other: 'x' };
  memory.note('uid', desired, answer, false);
  assert.equal(memory.matches('uid', desired, { cpu: '1', other: 'y' }), true);
  assert.equal(memory.matches('uid', desired, { cpu: '2' }), false, 'drift');
  assert.equal(memory.matches('uid', { cpu: '2000m' }, answer), false, 'another manifest');
  memory.note('uid', desired, desired, true);
  assert.equal(memory.matches('uid', desired, answer), false, 'stored as sent: nothing to remember');
});
