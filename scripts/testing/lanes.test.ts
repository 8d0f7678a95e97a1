import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inLanes } from './lanes.ts';

test('so many pieces at a time, begun in order, results in order', async () => {
  const begun: number[] = [];
  const doors = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
  const all = inLanes(2, [0, 1, 2, 3], async (piece) => {
    begun.push(piece);
    await doors[piece]!.promise;
    return piece * 10;
  });
  assert.deepEqual(begun, [0, 1]);
  doors[1]!.resolve();
  await doors[1]!.promise;
  await Promise.resolve();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const { resolve } of doors) resolve();
  assert.deepEqual(await all, [0, 10, 20, 30]);
});

test('a piece that throws keeps none of the others from being done', async () => {
  const done: number[] = [];
  const all = inLanes(1, [0, 1, 2], async (piece) => {
    if (piece === 0) throw new Error('the first');
    done.push(piece);
  });
  await assert.rejects(all, /the first/);
  assert.deepEqual(done, [1, 2]);
});
