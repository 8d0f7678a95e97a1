import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testCluster } from '@terrain/embedded/testing';
import type { CallMatch, FaultPlan } from '@terrain/runtime/testing';
import { eachOf, sample } from './effort.ts';
import { fakeGround, type Ground, realGround } from './ground.ts';
import { PlayedLives, RealLives } from './lives.ts';
import { type Outcome, trial } from './trial.ts';

/** Events are hints: a crash may lose one or tell it twice, so they are numbered apart and not compared. */
const series: Readonly<Record<'writes' | 'events', CallMatch>> = {
  writes: { verb: 'write', not: { resource: 'events' } },
  events: { verb: 'write', resource: 'events' },
};
const moments = ['before', 'applied', 'answered'] as const;

/** One place to crash at. */
interface Crash {
  readonly of: 'writes' | 'events';
  readonly nth: number;
  readonly when: (typeof moments)[number];
  /** What a calm run writes there. */
  readonly write: string;
}

const planOf = ({ of, nth, when }: Crash): FaultPlan => ({
  rules: [{ on: 'request', match: series[of], nth, do: { fault: 'kill-client', when } }],
});
const inWords = ({ when, of, nth, write }: Crash): string => `${when} ${write}, number ${nth} of the ${of}`;

function crashesOf(calm: Outcome): Crash[] {
  return (['writes', 'events'] as const).flatMap((of) =>
    calm[of].flatMap((write, index) => moments.map((when) => ({ of, nth: index + 1, when, write }))),
  );
}

function assertSame(run: Outcome, calm: Outcome, crash: string): void {
  assert.deepEqual(run.end, calm.end, `the end state is another after a crash ${crash}`);
  assert.deepEqual(run.counts, calm.counts, `objects had another life after a crash ${crash}`);
  assert.deepEqual(run.refusals, [], `the server refused writes after a crash ${crash}`);
}

async function learn(ground: Ground): Promise<Outcome> {
  const play = (): Promise<Outcome> => trial(ground, (stage) => new PlayedLives(stage, ground.upstream));
  const calm = await play();
  const again = await play();
  assert.deepEqual(again, calm, 'two calm runs are the same, or comparing with one would mean nothing');
  return calm;
}

describe('a crash changes nothing in the end', () => {
  let ground: Ground;
  before(async () => {
    ground = await fakeGround();
  });
  after(() => ground.close());

  const crashing = (plans: readonly FaultPlan[]): Promise<Outcome> =>
    trial(ground, (stage) => new PlayedLives(stage, ground.upstream, { plans }));

  test('before, during or after any write', async (t) => {
    const calm = await learn(ground);
    const crashes = crashesOf(calm);
    const covered = new Set<string>();
    await eachOf(crashes, 4, async (crash) => {
      const run = await crashing([planOf(crash)]);
      assert.deepEqual(run.deaths, [crash.write], `the crash was to be ${inWords(crash)}`);
      assertSame(run, calm, inWords(crash));
      covered.add(`${crash.of} ${crash.nth}`);
    });
    const total = calm.writes.length + calm.events.length;
    assert.equal(covered.size, total);
    t.diagnostic(
      `${covered.size} of ${total} writes covered, ${crashes.length} crashes: ${calm.writes.length} writes of objects, ${calm.events.length} events`,
    );
  });

  test('nor does a second one while it recovers from the first', async (t) => {
    const calm = await learn(ground);
    const crashes = crashesOf(calm).filter(({ of }) => of === 'writes');
    // The second life has fewer writes left; a second crash that never comes is no failure, but most of them must come.
    const pairs = crashes.flatMap((first) =>
      moments.flatMap((when) => [1, 2, 3].map((nth) => [first, { ...first, nth, when }] as const)),
    );
    let twice = 0;
    const chosen = sample(t, pairs, 24);
    await eachOf(chosen, 4, async ([first, second]) => {
      const run = await crashing([planOf(first), planOf(second)]);
      if (run.deaths.length === 2) twice++;
      assertSame(run, calm, `${inWords(first)} and ${second.when} write ${second.nth} of the second life`);
    });
    assert.ok(twice > chosen.length / 2, `only ${twice} of ${chosen.length} runs crashed twice`);
    t.diagnostic(`${twice} double crashes`);
  });
});

describe('a crash changes nothing in the end, on a real API server', () => {
  let ground: Ground;
  before(async () => {
    ground = await realGround(await testCluster({ controllerManager: true }));
  });
  after(() => ground.close());

  test('of a played process', async (t) => {
    const calm = await learn(ground);
    await eachOf(sample(t, crashesOf(calm), 8), 4, async (crash) => {
      const run = await trial(ground, (stage) => new PlayedLives(stage, ground.upstream, { plans: [planOf(crash)] }));
      assert.deepEqual(run.deaths, [crash.write], `the crash was to be ${inWords(crash)}`);
      assertSame(run, calm, inWords(crash));
    });
  });

  test('of a real process, by SIGKILL', async (t) => {
    const calm = await learn(ground);
    await eachOf(sample(t, crashesOf(calm), 3), 2, async (crash) => {
      const run = await trial(ground, (stage) => RealLives.prepare(stage, ground.upstream, { plan: planOf(crash) }));
      // Four workers, so the order of the writes is not quite that of the calm run.
      assert.equal(run.deaths.length, 1, `the crash was to be ${inWords(crash)}`);
      assertSame(run, calm, inWords(crash));
    });
  });
});
