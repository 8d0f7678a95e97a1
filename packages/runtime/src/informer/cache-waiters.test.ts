import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CacheWaiters } from './cache-waiters.ts';

test('who waits for a version is called when the cache has it, once, the oldest first, in whatever order they came', () => {
  const waiters = new CacheWaiters();
  const called: string[] = [];
  for (const version of ['12', '9', '101', '12', '30']) waiters.addVersion(version, () => called.push(version));
  waiters.check(undefined);
  waiters.check('8');
  assert.deepEqual(called, []);
  waiters.check('12');
  assert.deepEqual(called, ['9', '12', '12']);
  waiters.check('100');
  assert.deepEqual(called.splice(0), ['9', '12', '12', '30']);
  waiters.check('101');
  waiters.check('102');
  assert.deepEqual(called, ['101']);
});

test('who waits for something else is asked at every change', () => {
  const waiters = new CacheWaiters();
  let isGone = false;
  let calls = 0;
  waiters.add(
    () => isGone,
    () => calls++,
  );
  waiters.check('1');
  assert.equal(calls, 0);
  isGone = true;
  waiters.check(undefined);
  waiters.check('2');
  assert.equal(calls, 1);
  waiters.add(
    () => true,
    () => calls++,
  );
  assert.equal(calls, 2, 'at once, if it is so already');
});

test('a callback may wait for more, and is not called for it too early', () => {
  const waiters = new CacheWaiters();
  const called: string[] = [];
  waiters.addVersion('5', () => {
    called.push('first');
    waiters.addVersion('6', () => called.push('second'));
  });
  waiters.check('5');
  assert.deepEqual(called, ['first']);
  waiters.check('6');
  assert.deepEqual(called, ['first', 'second']);
});

test('when the cache will never show it, all are called', () => {
  const waiters = new CacheWaiters();
  let calls = 0;
  waiters.addVersion('5', () => calls++);
  waiters.add(
    () => false,
    () => calls++,
  );
  waiters.release();
  waiters.check('9');
  assert.equal(calls, 2);
});
