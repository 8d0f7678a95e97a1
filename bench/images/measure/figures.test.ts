import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthExponent, inversions, percentile, utilisation } from './figures.ts';

test('percentiles are values that were measured', () => {
  assert.deepEqual(
    [50, 95, 100].map((percent) => percentile([5, 1, 4, 2, 3], percent)),
    [3, 5, 5],
  );
});

test('inversions are shares of pairs', () => {
  assert.deepEqual([inversions([1, 2, 3]), inversions([3, 2, 1]), inversions([1, 3, 2]), inversions([7])], [0, 1, 1 / 3, 0]);
});

test('utilisation weighs levels by their time, and more than the limit is no use', () => {
  const steps = [
    { at: 0, level: 2 },
    { at: 10, level: 4 },
    { at: 20, level: 9 },
    { at: 30, level: 0 },
  ];
  assert.equal(utilisation(steps, 4), (2 + 4 + 4) / 12);
});

test('twice the work in four times the time grows with the square', () => {
  assert.equal(growthExponent({ count: 10, seconds: 1 }, { count: 20, seconds: 4 }), 2);
});
