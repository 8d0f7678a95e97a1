import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from './fake-clock.ts';

test('timers fire in due order, equal ones in the order they were set, each at its own moment', async () => {
  const clock = new FakeClock();
  const fired: [string, number][] = [];
  const note = (name: string) => () => fired.push([name, clock.monotonic()]);
  clock.setTimeout(note('late'), 30);
  clock.setTimeout(note('early'), 10);
  clock.setTimeout(note('early too'), 10);
  await clock.advance(30);
  assert.deepEqual(fired, [
    ['early', 10],
    ['early too', 10],
    ['late', 30],
  ]);
});

test('a timer set by a timer fires within the same advance when it is due', async () => {
  const clock = new FakeClock();
  const at: number[] = [];
  clock.setTimeout(() => clock.setTimeout(() => at.push(clock.monotonic()), 5), 10);
  await clock.advance(14);
  assert.deepEqual(at, []);
  await clock.advance(1);
  assert.deepEqual(at, [15]);
});

test('code that sleeps again and again runs once per sleep', async () => {
  const clock = new FakeClock();
  let rounds = 0;
  const loop = (async () => {
    while (rounds < 3) {
      await clock.sleep(100);
      rounds++;
    }
  })();
  await clock.advance(250);
  assert.equal(rounds, 2);
  await clock.advance(50);
  await loop;
  assert.equal(clock.pendingTimers, 0);
});

test('a shift of the wall clock moves neither monotonic time nor timers', async () => {
  const clock = new FakeClock(1_000_000);
  let fired = 0;
  clock.setTimeout(() => fired++, 60_000);
  clock.shiftWall(3_600_000);
  assert.deepEqual([clock.now(), clock.monotonic()], [4_600_000, 0]);
  await clock.advance(59_999);
  assert.equal(fired, 0);
  clock.shiftWall(-7_200_000);
  await clock.advance(1);
  assert.deepEqual([fired, clock.now()], [1, 1_000_000 - 3_600_000 + 60_000]);
});

test('a cancelled timer never fires, and cancelling twice is harmless', async () => {
  const clock = new FakeClock();
  let fired = false;
  const cancel = clock.setTimeout(() => {
    fired = true;
  }, 10);
  cancel();
  cancel();
  await clock.advance(100);
  assert.deepEqual([fired, clock.pendingTimers], [false, 0]);
});

test('an aborted sleep rejects with the reason and leaves no timer', async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(10, controller.signal);
  const reason = new Error('stopped');
  controller.abort(reason);
  await assert.rejects(sleeping, reason);
  assert.equal(clock.pendingTimers, 0);
});

test('advanceToNext jumps exactly to the next timer', async () => {
  const clock = new FakeClock();
  clock.setTimeout(() => undefined, 60 * 86_400_000);
  assert.equal(await clock.advanceToNext(), 60 * 86_400_000);
  assert.equal(await clock.advanceToNext(), undefined);
});

test('time does not run backwards', async () => {
  await assert.rejects(new FakeClock().advance(-1), /time goes forward only, got -1 ms/);
});
