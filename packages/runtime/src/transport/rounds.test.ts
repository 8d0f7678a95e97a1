import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '#testing/fake-clock.ts';
import { Rounds } from './rounds.ts';

/** Something that comes in for a name, and a list of who was told when. */
function rig(): { clock: FakeClock; come: (name: string) => void; told: string[] } {
  const clock = new FakeClock();
  const rounds = new Rounds({ clock, crowdPerSecond: 10, roundMs: 50 });
  const told: string[] = [];
  const callbacks = new Map<string, () => void>();
  const come = (name: string): void => {
    if (!callbacks.has(name)) callbacks.set(name, () => told.push(`${name} at ${clock.monotonic()}`));
    rounds.join(callbacks.get(name) as () => void);
  };
  return { clock, come, told };
}

/** A second with so many pieces in it, after which it is known whether that is a crowd. */
async function secondOf(pieces: number, { clock, come, told }: ReturnType<typeof rig>): Promise<void> {
  for (let piece = 0; piece < pieces; piece++) come('crowd');
  await clock.advance(1000);
  told.splice(0);
}

test('what comes now and then is handed on at once', async () => {
  const { clock, come, told } = rig();
  await secondOf(10, { clock, come, told });
  come('a');
  come('b');
  come('a');
  assert.deepEqual(told, ['a at 1000', 'b at 1000', 'a at 1000']);
});

test('in a crowd the first is handed on at once, the others together a round later, in their order and once each', async () => {
  const { clock, come, told } = rig();
  await secondOf(11, { clock, come, told });
  for (const name of ['a', 'b', 'c', 'b']) come(name);
  assert.deepEqual(told, ['a at 1000']);
  await clock.advance(49);
  assert.deepEqual(told, ['a at 1000']);
  await clock.advance(1);
  assert.deepEqual(told, ['a at 1000', 'b at 1050', 'c at 1050']);
  come('a');
  await clock.advance(50);
  assert.deepEqual(told.slice(3), ['a at 1100']);
});

test('a crowd that is over is a crowd no more', async () => {
  const { clock, come, told } = rig();
  await secondOf(11, { clock, come, told });
  come('a');
  await clock.advance(5000);
  come('b');
  come('c');
  assert.deepEqual(told, ['a at 1000', 'b at 6000', 'c at 6000']);
});

test('what comes for a callback while its round is held belongs to the next one', async () => {
  const clock = new FakeClock();
  const rounds = new Rounds({ clock, crowdPerSecond: 0, roundMs: 50 });
  const told: number[] = [];
  const again = (): void => {
    told.push(clock.monotonic());
    if (told.length < 4) rounds.join(again);
  };
  rounds.join(again);
  await clock.advance(1000);
  // The first second is no crowd yet: each is told at once.
  assert.deepEqual(told, [0, 0, 0, 0]);
  told.splice(0);
  rounds.join(again);
  await clock.advance(1000);
  assert.deepEqual(told, [1000, 1050, 1100, 1150]);
});
