import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('sleep resolves no earlier than asked', async () => {
  const start = systemClock.monotonic();
  await systemClock.sleep(20);
  assert.ok(systemClock.monotonic() - start >= 19);
});

test('sleep rejects with the reason of the signal, before and during the wait', async () => {
  const reason = new Error('stopped');
  await assert.rejects(systemClock.sleep(60_000, AbortSignal.abort(reason)), reason);
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, reason);
});

test('a delay of 60 days does not fire at once', async () => {
  let fired = false;
  const cancel = systemClock.setTimeout(() => {
    fired = true;
  }, 60 * 86_400_000);
  await systemClock.sleep(20);
  cancel();
  assert.equal(fired, false);
});
