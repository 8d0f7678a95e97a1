import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '#testing/fake-clock.ts';
import { Deadlines, type Timed } from './deadlines.ts';

test('whoever is not over in time is late, at that time and once; there is no timer without anybody', async () => {
  const task = fc.record({ startsAt: fc.nat(50), takesMs: fc.nat(50), mayTakeMs: fc.integer({ min: 1, max: 50 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 8 }), async (tasks) => {
      const clock = new FakeClock();
      const deadlines = new Deadlines(clock);
      const late: string[] = [];
      const want: string[] = [];
      for (const [index, { startsAt, takesMs, mayTakeMs }] of tasks.entries()) {
        const endsAt = startsAt + mayTakeMs;
        if (takesMs > mayTakeMs) want.push(`${index} at ${endsAt}`);
        const timed: Timed = { endsAt, late: () => void late.push(`${index} at ${clock.monotonic()}`) };
        clock.setTimeout(() => deadlines.add(timed), startsAt);
        // Who ends at the very moment may be either; here he is in time.
        clock.setTimeout(() => deadlines.delete(timed), startsAt + takesMs - (takesMs === mayTakeMs ? 0.5 : 0));
      }
      await clock.advance(200);
      assert.deepEqual([late.sort(), clock.pendingTimers], [want.sort(), 0]);
    }),
    { numRuns: 50 },
  );
});

test('many of the same length share one timer', async () => {
  const clock = new FakeClock();
  let set = 0;
  const counting = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms: number) => clock.sleep(ms),
    setTimeout: (callback: () => void, ms: number) => {
      set++;
      return clock.setTimeout(callback, ms);
    },
  };
  const deadlines = new Deadlines(counting);
  const neverEnds: Timed = { endsAt: 10_000, late: () => undefined };
  deadlines.add(neverEnds);
  for (let at = 0; at < 1000; at++) {
    const timed: Timed = { endsAt: clock.monotonic() + 30_000, late: () => assert.fail('it ended in time') };
    deadlines.add(timed);
    await clock.advance(1);
    deadlines.delete(timed);
  }
  assert.equal(set, 1);
});

test('somebody who is late may begin something else at once', async () => {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock);
  const late: number[] = [];
  const again = (): void => {
    late.push(clock.monotonic());
    if (late.length < 3) deadlines.add({ endsAt: clock.monotonic() + 10, late: again });
  };
  deadlines.add({ endsAt: 10, late: again });
  await clock.advance(100);
  assert.deepEqual([late, clock.pendingTimers], [[10, 20, 30], 0]);
});
