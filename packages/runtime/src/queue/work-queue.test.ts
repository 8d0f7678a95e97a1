import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock.ts';
import { WorkQueue } from './work-queue.ts';

/** Takes what is ready, without waiting. */
async function drain(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.length > 0) {
    const key = await queue.take();
    if (key === undefined) break;
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

test('a key added many times comes out once', async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  for (let i = 0; i < 5; i++) queue.add('a');
  queue.add('b');
  assert.deepEqual(await drain(queue), ['a', 'b']);
});

test('a key added while it is worked on comes back after done, and not before', async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  queue.add('a');
  assert.equal(await queue.take(), 'a');
  queue.add('a');
  queue.add('a');
  assert.equal(queue.length, 0);
  queue.done('a');
  assert.deepEqual(await drain(queue), ['a']);
});

test('the urgent come before the normal, the normal before the background; within one priority the first first', async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  queue.add('found-1', 'background');
  queue.add('found-2', 'background');
  queue.add('changed-1');
  queue.add('deleted', 'urgent');
  queue.add('changed-2');
  assert.deepEqual(await drain(queue), ['deleted', 'changed-1', 'changed-2', 'found-1', 'found-2']);
});

test('a key that becomes more urgent moves forward, one that becomes less urgent stays', async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  queue.add('a', 'background');
  queue.add('b', 'background');
  queue.add('b', 'urgent');
  queue.add('b', 'background');
  queue.add('c');
  assert.deepEqual(await drain(queue), ['b', 'c', 'a']);
});

test('an endless stream of urgent keys does not starve the background', async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  queue.add('patient', 'background');
  for (let i = 0; i < 16; i++) {
    queue.add(`urgent-${i}`, 'urgent');
    const key = await queue.take();
    if (key === 'patient') return;
    queue.done(key ?? '');
  }
  assert.fail('16 urgent keys went first');
});

test('a worker that waits gets the next key, the first worker first', async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  const first = queue.take();
  const second = queue.take();
  queue.add('a');
  queue.add('b');
  assert.deepEqual(await Promise.all([first, second]), ['a', 'b']);
});

test('a delayed key comes when its time has come; of two delays the shorter counts', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAfter('a', 5000);
  queue.addAfter('b', 1000);
  queue.addAfter('b', 9000);
  await clock.advance(999);
  assert.equal(queue.length, 0);
  await clock.advance(1);
  assert.deepEqual(await drain(queue), ['b']);
  await clock.advance(4000);
  assert.deepEqual(await drain(queue), ['a']);
  await clock.advance(10_000);
  assert.equal(queue.length, 0);
});

test('a delay of 60 days works, beside one of a second', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  const days = 60 * 86_400_000;
  queue.addAfter('later', days);
  queue.addAfter('soon', 1000);
  await clock.advance(days - 1);
  assert.deepEqual(await drain(queue), ['soon']);
  await clock.advance(1);
  assert.deepEqual(await drain(queue), ['later']);
});

test('taking a key drops its delay: the pass decides anew', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAfter('a', 1000);
  queue.add('a');
  assert.deepEqual(await drain(queue), ['a']);
  await clock.advance(2000);
  assert.equal(queue.length, 0);
  assert.equal(queue.delayed, 0);
});

test('ten thousand delays need one timer', () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  for (let i = 0; i < 10_000; i++) queue.addAfter(`${i}`, 1000 + ((i * 7919) % 10_000));
  assert.equal(clock.pendingTimers, 1);
  queue.close();
  assert.equal(clock.pendingTimers, 0);
});

test('a closed queue lets waiting workers go and takes nothing more', async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  queue.add('held');
  assert.equal(await queue.take(), 'held');
  const waiting = queue.take();
  queue.close();
  assert.equal(await waiting, undefined);
  queue.add('late');
  queue.addAfter('later', 1);
  queue.done('held');
  assert.equal(await queue.take(), undefined);
  assert.equal(queue.length + queue.delayed, 0);
});

test('done without take is a mistake of the caller', () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  assert.throws(() => queue.done('a'), /the key a is not being worked on/);
});

test('the observer sees the wait and the work, and keys are counted once however often they are added', async () => {
  const clock = new FakeClock();
  const seen: unknown[] = [];
  const queue = new WorkQueue({
    clock,
    observer: {
      taken: (ms) => seen.push(`waited ${ms}`),
      finished: (ms) => seen.push(`worked ${ms}`),
    },
  });
  queue.add('a', 'background');
  queue.add('a');
  assert.equal(queue.added, 1);
  await clock.advance(30);
  await queue.take();
  await clock.advance(12);
  assert.deepEqual(queue.unfinishedMs, [12]);
  queue.add('a');
  queue.add('a');
  assert.equal(queue.added, 2, 'once more while it is worked on');
  queue.done('a');
  assert.deepEqual(seen, ['waited 30', 'worked 12']);
});
