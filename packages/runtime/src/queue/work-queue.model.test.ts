import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '#testing/fake-clock.ts';
import { runModel } from '../../test/run-model.ts';
import { type Priority, WorkQueue } from './work-queue.ts';

const lanes: readonly Priority[] = ['urgent', 'normal', 'background'];

/** The queue as one would write it to be obviously right: arrays and scans. */
class Model {
  now = 0;
  takes = 0;
  ready: { key: string; lane: number }[] = [];
  working = new Set<string>();
  again = new Map<string, number>();
  delays = new Map<string, number>();

  add(key: string, lane: number): void {
    if (this.working.has(key)) {
      this.again.set(key, Math.min(lane, this.again.get(key) ?? lane));
      return;
    }
    const known = this.ready.find((entry) => entry.key === key);
    if (known !== undefined && known.lane <= lane) return;
    this.ready = [...this.ready.filter((entry) => entry !== known), { key, lane }];
  }

  addAfter(key: string, ms: number): void {
    const dueAt = this.now + ms;
    this.delays.set(key, Math.min(dueAt, this.delays.get(key) ?? dueAt));
  }

  take(): string | undefined {
    this.takes++;
    const order = this.takes % 16 === 0 ? [2, 1, 0] : [0, 1, 2];
    for (const lane of order) {
      const entry = this.ready.find((candidate) => candidate.lane === lane);
      if (entry === undefined) continue;
      this.ready = this.ready.filter((candidate) => candidate !== entry);
      this.working.add(entry.key);
      this.delays.delete(entry.key);
      return entry.key;
    }
    return undefined;
  }

  done(key: string): void {
    this.working.delete(key);
    const lane = this.again.get(key);
    this.again.delete(key);
    if (lane !== undefined) this.add(key, lane);
  }

  advance(ms: number): void {
    this.now += ms;
    // Of keys due at one moment the one whose wait began first comes first; a Map remembers that order.
    const due = [...this.delays].filter(([, dueAt]) => dueAt <= this.now).sort(([, a], [, b]) => a - b);
    for (const [key] of due) {
      this.delays.delete(key);
      this.add(key, 1);
    }
  }
}

type Step =
  | { do: 'add'; key: string; lane: number }
  | { do: 'addAfter'; key: string; ms: number }
  | { do: 'take' }
  | { do: 'done'; pick: number }
  | { do: 'advance'; ms: number };

const key = fc.integer({ min: 0, max: 11 }).map((n) => `k${n}`);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), key, lane: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.integer({ min: 1, max: 50 }) }) },
  { weight: 3, arbitrary: fc.constant({ do: 'take' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('done' as const), pick: fc.nat(11) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 30 }) }) },
);

test('the queue does what a simple model does', async (t) => {
  await runModel(t, { operations: 100_000, perRun: 200, step }, async (steps) => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock });
    const model = new Model();
    for (const next of steps) {
      switch (next.do) {
        case 'add':
          queue.add(next.key, lanes[next.lane] ?? 'normal');
          model.add(next.key, next.lane);
          break;
        case 'addAfter':
          queue.addAfter(next.key, next.ms);
          model.addAfter(next.key, next.ms);
          break;
        case 'take':
          // A taker that has to wait would take part in later steps; that is tried in the unit tests.
          if (queue.length > 0) assert.equal(await queue.take(), model.take());
          break;
        case 'done': {
          const working = [...model.working];
          const finished = working[next.pick % working.length];
          if (finished === undefined) break;
          queue.done(finished);
          model.done(finished);
          break;
        }
        case 'advance':
          await clock.advance(next.ms);
          model.advance(next.ms);
          break;
      }
      assert.equal(queue.length, model.ready.length);
      assert.equal(queue.delayed, model.delays.size);
    }
    queue.close();
  });
});
