import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../lib/bench.ts';
import { type Results, rowsOf } from './rows.ts';
import { sizesFrom } from './sizes.ts';

const writes = { accepted: new Map(), ledgerConflicts: 1, refusedCreates: 3 };
const drained = {
  seconds: 10,
  imagesPerSecond: 50,
  cpuSecondsPerThousand: 4,
  peakBytes: 100 * 2 ** 20,
  startBytes: 1,
  residentBytes: 1,
  writes,
  writesPerImage: 5,
  eventsPerImage: 1,
  mostSlots: 100,
  requestsPerImage: 6,
  passesPerImage: 7,
};
const order = { inversions: 0, mostSlots: 4, mostDownloads: 4 };
const floor = { writtenPerSecond: 200, imagesPerSecond: 100, cpuSecondsPerThousand: 1 };
const results: Results = {
  calmCount: 200,
  refillFloorMs: 10,
  calm: {
    ...order,
    slotUse: 0.99,
    downloadUse: 0.9,
    refillMs: { p50: 15, p95: 50 },
    writes,
    writesPerImage: 6,
    eventsPerImage: 1,
    seconds: 101,
  },
  restarts: order,
  failure: { downloads: 1, secondsToFailed: 0.1 },
  floors: [{ count: 500, blind: floor, following: { ...floor, imagesPerSecond: 60 } }],
  drains: [{ count: 500, ...drained }],
  idle: [{ queued: 200, requestsPerMinute: 0 }],
};

test('what misses its goal is told apart, per thousand images where the goal is', () => {
  const missed = rowsOf(results)
    .map(judge)
    .filter(({ pass }) => pass === false);
  assert.deepEqual(
    missed.map(({ name, value }) => [name, value]),
    [
      ['refill, snapshot ready to next DataVolume: p95 / floor', 5],
      ['500 instant images, limit 100: ours / floor at 32 parallel', 0.5],
    ],
  );
  const refused = rowsOf(results).find(({ name }) => name.endsWith('refused creates per 1,000'));
  assert.equal(refused?.value, 6);
});

test('a permanent failure costs one download: none at all says that nothing was tried', () => {
  const passes = (downloads: number) =>
    rowsOf({ ...results, failure: { downloads, secondsToFailed: 0.1 } })
      .map(judge)
      .find(({ name }) => name === 'permanent failure (404): downloads')?.pass;
  assert.deepEqual([0, 1, 2].map(passes), [false, true, false]);
});

test('growth is shown only between two sizes', () => {
  const growth = (given: Results) => rowsOf(given).find(({ unit }) => unit === 'exponent')?.value;
  assert.equal(growth(results), undefined);
  assert.equal(growth({ ...results, drains: [...results.drains, { count: 5000, ...drained, seconds: 100 }] }), 1);
});

test('the growth of the floor stands beside it, for a machine that was slower with many', () => {
  const slower = { count: 5000, blind: { ...floor, imagesPerSecond: 10 } };
  const rows = rowsOf({ ...results, floors: [...results.floors, slower] });
  assert.equal(rows.find(({ name }) => name === "growth of the floor's time, 500 to 5000")?.value, 2);
});

test('sizes follow one number, and what cannot be is refused', () => {
  assert.deepEqual(sizesFrom({}), { calm: 200, drain: 1000, queued: 200, idleSeconds: 60 });
  assert.deepEqual(sizesFrom({ TERRAIN_BENCH_SIZE: '50', TERRAIN_BENCH_LARGE: '100' }), {
    calm: 10,
    drain: 50,
    queued: 10,
    idleSeconds: 10,
    large: 100,
  });
  assert.throws(() => sizesFrom({ TERRAIN_BENCH_SIZE: 'many' }), /TERRAIN_BENCH_SIZE must be a whole number/);
  assert.throws(() => sizesFrom({ TERRAIN_BENCH_LARGE: '900' }), /must be more than the 1000 images/);
});
