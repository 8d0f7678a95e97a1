import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@terrain/runtime/testing';
import { ServerClock } from './server-clock.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

test('before any answer it is the wall clock; afterwards the server’s, going on with ours', async () => {
  const clock = new FakeClock();
  const server = new ServerClock(clock);
  assert.equal(server.now(), clock.now());
  server.learn(at(100), clock.monotonic());
  assert.equal(server.now(), at(100).getTime());
  await clock.advance(2500);
  assert.equal(server.now(), at(102.5).getTime());
});

test('jumps of our wall clock change nothing', () => {
  const clock = new FakeClock();
  const server = new ServerClock(clock);
  server.learn(at(100), clock.monotonic());
  clock.shiftWall(-3_600_000);
  assert.equal(server.now(), at(100).getTime());
});

test('whole seconds are sharpened by later answers, never beyond what the server can have meant', async () => {
  const clock = new FakeClock();
  const server = new ServerClock(clock);
  // The server is at 100.9; its answers say 100, and 101 a tenth of a second later.
  server.learn(at(100), clock.monotonic());
  await clock.advance(100);
  server.learn(at(101), clock.monotonic());
  assert.equal(server.now(), at(101).getTime());
  await clock.advance(950);
  server.learn(at(101), clock.monotonic());
  assert.equal(server.now(), at(101.95).getTime());
});

test('a server whose clock is set back is followed', async () => {
  const clock = new FakeClock();
  const server = new ServerClock(clock);
  server.learn(at(100), clock.monotonic());
  await clock.advance(1000);
  server.learn(at(40), clock.monotonic());
  assert.equal(server.now(), at(40).getTime());
});

test('a slow answer does not make it fast', async () => {
  const clock = new FakeClock();
  const server = new ServerClock(clock);
  const sent = clock.monotonic();
  await clock.advance(5000);
  server.learn(at(100), sent);
  assert.equal(server.now(), at(100).getTime());
  server.learn(undefined, sent);
  server.learn(new Date('nonsense'), sent);
  assert.equal(server.now(), at(100).getTime());
});
