import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureLimiter } from './failure-limiter.ts';

test('each failure of a key doubles its wait up to the cap; other keys are not concerned', () => {
  const limiter = new FailureLimiter({ firstMs: 100, capMs: 1000, random: () => 0 });
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map(() => limiter.next('a')),
    [100, 200, 400, 800, 1000, 1000],
  );
  assert.equal(limiter.next('b'), 100);
  assert.equal(limiter.count('a'), 6);
});

test('success begins anew', () => {
  const limiter = new FailureLimiter({ firstMs: 100, capMs: 1000, random: () => 0 });
  limiter.next('a');
  limiter.next('a');
  limiter.forget('a');
  assert.equal(limiter.count('a'), 0);
  assert.equal(limiter.next('a'), 100);
});

test('the jitter adds up to a tenth, and a thousand failures do not overflow', () => {
  const limiter = new FailureLimiter({ firstMs: 100, capMs: 1000, random: () => 1 });
  assert.ok(Math.abs(limiter.next('a') - 110) < 1e-9);
  for (let i = 0; i < 1000; i++) limiter.next('a');
  assert.equal(limiter.next('a'), 1100);
});

test('options that make no sense are refused with the values', () => {
  assert.throws(() => new FailureLimiter({ firstMs: 10, capMs: 5 }), /got firstMs 10 and capMs 5/);
});
