import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizesFrom } from './sizes.ts';

test('sizes come from the environment, short runs are a tenth of long ones', () => {
  assert.deepEqual(sizesFrom({}), { small: 1000, large: 10_000 });
  assert.deepEqual(sizesFrom({ TERRAIN_BENCH_SIZE: '200' }), { small: 20, large: 200 });
  assert.deepEqual(sizesFrom({ TERRAIN_BENCH_HUGE: '50000' }), { small: 1000, large: 10_000, huge: 50_000 });
});

test('a size that makes no sense is refused with its name', () => {
  assert.throws(
    () => sizesFrom({ TERRAIN_BENCH_SIZE: 'many' }),
    /TERRAIN_BENCH_SIZE must be a whole number from 100 on, got "many"/,
  );
  assert.throws(() => sizesFrom({ TERRAIN_BENCH_SIZE: '99' }), /got "99"/);
  assert.throws(() => sizesFrom({ TERRAIN_BENCH_HUGE: '10000' }), /must be more than the 10000/);
});
