import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dependencies, lookAt } from './dependencies.ts';

test('a change wakes who looked at it, and nobody else', () => {
  const dependencies = new Dependencies();
  const secret = lookAt.object('Secret', 'ns', 'keys');
  dependencies.set('a', new Set([secret, lookAt.kind('StorageClass')]));
  dependencies.set('b', new Set([secret]));
  assert.deepEqual([...dependencies.of(secret)], ['a', 'b']);
  assert.deepEqual([...dependencies.of(lookAt.kind('StorageClass'))], ['a']);
  assert.deepEqual([...dependencies.of(lookAt.object('Secret', 'other', 'keys'))], []);
});

test('who looks elsewhere is woken for that only', () => {
  const dependencies = new Dependencies();
  dependencies.set('a', new Set(['x', 'y']));
  dependencies.set('a', new Set(['y', 'z']));
  assert.deepEqual(
    ['x', 'y', 'z'].map((look) => [...dependencies.of(look)].length),
    [0, 1, 1],
  );
  dependencies.set('a', new Set());
  assert.deepEqual(
    ['x', 'y', 'z'].map((look) => [...dependencies.of(look)].length),
    [0, 0, 0],
  );
});
