import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { together } from './together.ts';

test('all results are returned in their order', async () => {
  assert.deepEqual(await together(undefined, [async () => delay(5, 'slow'), async () => 1]), ['slow', 1]);
});

test('the first failure ends the others before it is reported', async () => {
  let ended = false;
  const patient = async (signal: AbortSignal) => {
    await delay(60_000, undefined, { signal }).catch(() => {});
    await delay(5);
    ended = true;
  };
  const failure = new Error('no');
  await assert.rejects(together(undefined, [patient, async () => Promise.reject(failure)]), failure);
  assert.ok(ended);
});

test('something that fails at once, before the others have begun to wait, ends them too', async () => {
  const fails = (): Promise<void> => {
    throw new Error('at once');
  };
  await assert.rejects(together(undefined, [fails, (signal) => delay(60_000, undefined, { signal })]), /at once/);
});

test('the signal of the caller ends all', async () => {
  const stop = new AbortController();
  const waiting = together(stop.signal, [(signal) => delay(60_000, undefined, { signal })]);
  stop.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
});

test('of an abort by the caller the one is told that says what it means', async () => {
  const stop = new AbortController();
  const plain = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const wordy = async (signal: AbortSignal) => {
    await plain(signal).catch(() => {});
    throw new Error('the build goes on with the next start');
  };
  const both = together(stop.signal, [plain, wordy]);
  stop.abort();
  await assert.rejects(both, { message: 'the build goes on with the next start' });
});
