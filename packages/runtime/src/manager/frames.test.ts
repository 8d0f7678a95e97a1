import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#clock/clock.ts';
import { FakeClock } from '#testing/fake-clock.ts';
import { Frames } from './frames.ts';

/** A process in the hands of the test: turns of its event loop end when `endTurn` is called, and its rests are noted. */
function rig() {
  const clock = new FakeClock();
  const rests: string[] = [];
  const callbacks: (() => void)[] = [];
  const frames = new Frames({
    clock,
    crowdPerSecond: 10,
    frameMs: 40,
    rest: (ms) => rests.push(`${ms} ms at ${clock.monotonic()}`),
    afterTurn: (callback) => callbacks.push(callback),
  });
  const endTurn = (): void => {
    for (const callback of callbacks.splice(0)) callback();
  };
  /** A second with so many pieces in it, after which it is known whether that is a crowd. */
  const secondOf = async (pieces: number): Promise<void> => {
    for (let piece = 0; piece < pieces; piece++) frames.arrived();
    await clock.advance(1000);
  };
  return { clock, frames, rests, endTurn, secondOf, isWatched: () => callbacks.length > 0 };
}

test('what comes now and then is never waited for', async () => {
  const { frames, rests, endTurn, secondOf, isWatched } = rig();
  await secondOf(10);
  frames.arrived();
  assert.equal(isWatched(), false);
  endTurn();
  assert.deepEqual(rests, []);
});

test('in a crowd a frame lasts its time: what came in is worked through first, then the process rests', async () => {
  const { clock, frames, rests, endTurn, secondOf } = rig();
  await secondOf(11);
  frames.arrived();
  for (const _ of [1, 2, 3]) endTurn();
  assert.deepEqual(rests, [], 'the first frame began long ago');
  await clock.advance(15);
  frames.arrived();
  for (const _ of [1, 2]) endTurn();
  assert.deepEqual(rests, [], 'requests that the piece caused go out first');
  frames.arrived();
  for (const _ of [1, 2]) endTurn();
  assert.deepEqual(rests, [], 'something else came meanwhile');
  endTurn();
  assert.deepEqual(rests, ['25 ms at 1015']);
});

test('a process with work for longer than a frame is not held up', async () => {
  const { clock, frames, rests, endTurn, secondOf } = rig();
  await secondOf(11);
  for (let frame = 0; frame < 3; frame++) {
    frames.arrived();
    endTurn();
    await clock.advance(40);
    for (const _ of [1, 2]) endTurn();
  }
  assert.deepEqual(rests, []);
});

test('nothing is waited for when nothing came', async () => {
  const { frames, rests, endTurn, secondOf, isWatched } = rig();
  await secondOf(11);
  frames.arrived();
  for (const _ of [1, 2, 3]) endTurn();
  assert.equal(isWatched(), false);
  endTurn();
  assert.deepEqual(rests, []);
});

test('a crowd that is over is a crowd no more', async () => {
  const { clock, frames, rests, endTurn, secondOf } = rig();
  await secondOf(11);
  frames.arrived();
  for (const _ of [1, 2, 3]) endTurn();
  await clock.advance(5000);
  for (const _ of [1, 2]) {
    frames.arrived();
    for (const __ of [1, 2, 3]) endTurn();
  }
  assert.deepEqual(rests, []);
});

test('a crowd is over when less than half as many pieces come in as begin one', async () => {
  const { frames, secondOf, isWatched, endTurn } = rig();
  for (const [pieces, isCrowd] of [
    [10, false],
    [11, true],
    // And the one of the second before.
    [5, true],
    [4, false],
    [9, false],
  ] as const) {
    await secondOf(pieces);
    for (const _ of [1, 2, 3]) endTurn();
    frames.arrived();
    assert.equal(isWatched(), isCrowd, `${pieces} pieces`);
    for (const _ of [1, 2, 3]) endTurn();
  }
});

test('each second is counted by itself', async () => {
  const { frames, secondOf, isWatched } = rig();
  for (const pieces of [9, 9, 9]) await secondOf(pieces);
  frames.arrived();
  assert.equal(isWatched(), false);
});

test('by itself it rests the whole process, for as long as the frame has left', () => {
  let aheadMs = 0;
  let turn: () => void = () => undefined;
  const frames = new Frames({
    clock: { ...systemClock, monotonic: () => performance.now() + aheadMs },
    crowdPerSecond: 0,
    frameMs: 60,
    afterTurn: (callback) => {
      turn = callback;
    },
  });
  frames.arrived();
  aheadMs = 1000;
  const began = performance.now();
  for (let frame = 0; frame < 3; frame++) {
    frames.arrived();
    for (const _ of [1, 2, 3]) turn();
  }
  const tookMs = performance.now() - began;
  assert.ok(tookMs >= 119, `two rests of 60 ms took ${tookMs} ms`);
});
