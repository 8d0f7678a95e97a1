import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPatch, mergePatch } from './patch.ts';

const merges: Record<string, { target: unknown; patch: unknown; want: unknown }> = {
  'maps merge': { target: { a: 1, b: { c: 2 } }, patch: { b: { d: 3 } }, want: { a: 1, b: { c: 2, d: 3 } } },
  'null removes': { target: { a: 1, b: 2 }, patch: { a: null, x: null }, want: { b: 2 } },
  'lists are replaced': { target: { a: [1, 2] }, patch: { a: [3] }, want: { a: [3] } },
  'a value replaces a map': { target: { a: { b: 1 } }, patch: { a: 'text' }, want: { a: 'text' } },
  'a map replaces a value, without its nulls': { target: { a: 'text' }, patch: { a: { b: 1, c: null } }, want: { a: { b: 1 } } },
};
for (const [name, { target, patch, want }] of Object.entries(merges)) {
  test(`merge patch: ${name}`, () => {
    assert.deepEqual(mergePatch(target, patch), want);
  });
}

const steps: Record<string, { target: unknown; patch: Parameters<typeof jsonPatch>[1]; want: unknown }> = {
  'add to a map': { target: { a: {} }, patch: [{ op: 'add', path: '/a/b', value: 1 }], want: { a: { b: 1 } } },
  'add into a list': { target: [1, 3], patch: [{ op: 'add', path: '/1', value: 2 }], want: [1, 2, 3] },
  'add to the end of a list': { target: [1], patch: [{ op: 'add', path: '/-', value: 2 }], want: [1, 2] },
  'add inside an item': { target: [{ a: 1 }], patch: [{ op: 'add', path: '/0/b', value: 2 }], want: [{ a: 1, b: 2 }] },
  'replace an item': { target: { a: [1, 2] }, patch: [{ op: 'replace', path: '/a/0', value: 9 }], want: { a: [9, 2] } },
  'replace all': { target: { a: 1 }, patch: [{ op: 'replace', path: '', value: { b: 2 } }], want: { b: 2 } },
  'remove an item': { target: { a: [1, 2] }, patch: [{ op: 'remove', path: '/a/0' }], want: { a: [2] } },
  move: { target: { a: 1 }, patch: [{ op: 'move', from: '/a', path: '/b' }], want: { b: 1 } },
  copy: { target: { a: [1] }, patch: [{ op: 'copy', from: '/a', path: '/b' }], want: { a: [1], b: [1] } },
  'escaped names': { target: { 'a/b~c': 1 }, patch: [{ op: 'replace', path: '/a~1b~0c', value: 2 }], want: { 'a/b~c': 2 } },
  'a test that holds': {
    target: { a: { b: [1] } },
    patch: [{ op: 'test', path: '/a', value: { b: [1] } }],
    want: { a: { b: [1] } },
  },
};
for (const [name, { target, patch, want }] of Object.entries(steps)) {
  test(`JSON patch: ${name}`, () => {
    assert.deepEqual(jsonPatch(target, patch), want);
  });
}

const refused: Record<string, Parameters<typeof jsonPatch>[1]> = {
  'a test that fails': [{ op: 'test', path: '/a', value: 2 }],
  'a path that is not there': [{ op: 'remove', path: '/x' }],
  'a replacement of nothing': [{ op: 'replace', path: '/x', value: 1 }],
  'a parent that is not there': [{ op: 'add', path: '/x/y', value: 1 }],
  'an index beyond the list': [{ op: 'add', path: '/list/5', value: 1 }],
  'a path without a slash': [{ op: 'add', path: 'a', value: 1 }],
  'an unknown step': [{ op: 'swap', path: '/a' }],
};
for (const [name, patch] of Object.entries(refused)) {
  test(`JSON patch is refused: ${name}`, () => {
    assert.throws(() => jsonPatch({ a: 1, list: [] }, patch), /the server rejected our request/);
  });
}

test('a patch never changes its target', () => {
  const target = { a: { b: [1] } };
  const copy = structuredClone(target);
  mergePatch(target, { a: { c: 1 } });
  jsonPatch(target, [{ op: 'add', path: '/a/b/-', value: 2 }]);
  assert.deepEqual(target, copy);
});
