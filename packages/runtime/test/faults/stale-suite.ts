import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testCluster } from '@terrain/embedded/testing';
import { Resource } from '@terrain/runtime';
import type { EventEntry, FaultPlan } from '@terrain/runtime/testing';
import { type Mailbox, mailboxes } from '../example/controller.ts';
import { until } from '../until.ts';
import { eachOf, sample } from './effort.ts';
import { fakeGround, type Ground, realGround } from './ground.ts';
import { PlayedLives } from './lives.ts';
import { assertSameLives, assertWatching, countLists } from './oracles.ts';
import { endState, Scenario, type Stage } from './scenario.ts';
import { type Outcome, quiet, trial } from './trial.ts';

const relist: FaultPlan = {
  rules: [{ on: 'request', match: { verb: 'watch' }, nth: { from: 1, to: 2 }, do: { fault: 'expire', as: 'event' } }],
};

const isLost = (lives: PlayedLives): boolean => lives.proxy.log.entries.some(({ fault }) => fault === 'drop');

/** What was lost stays unknown until the next list, so there is one every now and then until the step has come true. */
async function withRelists(lives: PlayedLives, step: Promise<void>): Promise<void> {
  let isDone = false;
  const settled = step.finally(() => {
    isDone = true;
  });
  settled.catch(() => undefined);
  while (!isDone) {
    const lists = countLists(lives.proxy.log.requests);
    await until('end of the step, or loss', () => isDone || isLost(lives));
    await quiet(() => lives.requests, 200);
    if (isDone) break;
    lives.proxy.follow(relist);
    lives.proxy.disconnectAll();
    await until('next lists', () => isDone || countLists(lives.proxy.log.requests) >= lists + 2);
  }
  await settled;
}

export function staleSuite(): void {
  describe('a cache that missed something comes right with the next list', () => {
    let ground: Ground;
    let calm: Outcome;
    before(async () => {
      ground = await fakeGround();
      calm = await trial(ground, (stage) => new PlayedLives(stage, ground.upstream));
    });
    after(() => ground.close());

    test('whichever event was lost', async (t) => {
      const events = await eventsOf(await ground.stage());
      const isDeletion = ({ what }: { what: string }): boolean => what.startsWith('DELETED');
      const chosen = [
        ...events.filter(isDeletion),
        ...sample(
          t,
          events.filter((event) => !isDeletion(event)),
          8,
        ),
      ];
      await eachOf(chosen, 6, async (lost) => {
        const stage = await ground.stage();
        const { resource, nth } = lost;
        const plan: FaultPlan = { rules: [{ on: 'event', match: { resource }, nth, do: { fault: 'drop' } }] };
        await using lives = new PlayedLives(stage, ground.upstream, { plans: [plan] });
        await lives.start();
        const scenario = new Scenario(stage);
        for (const step of scenario.steps()) await withRelists(lives, step());
        await until(`loss of ${lost.what}`, () => isLost(lives));
        lives.proxy.follow(relist);
        lives.proxy.disconnectAll();
        await until('list of both kinds', () => countLists(lives.proxy.log.requests) >= 4);
        await scenario.settled();
        await quiet(() => lives.requests);
        await assertWatching(lives.proxy);
        assert.deepEqual(await endState(stage), calm.end, `the end state is another when ${lost.what} was lost`);
        assertSameLives(await ground.counts(stage), calm.counts);
      });
      t.diagnostic(`${chosen.length} of ${events.length} events lost`);
    });

    /** Every event a calm run is told, each by its number among those of its kind. */
    async function eventsOf(stage: Stage): Promise<{ resource: string; nth: number; what: string }[]> {
      await using lives = new PlayedLives(stage, ground.upstream);
      await lives.start();
      await new Scenario(stage).play();
      await quiet(() => lives.requests);
      const told = lives.proxy.log.entries.filter((entry): entry is EventEntry => entry.sort === 'event');
      return [...Map.groupBy(told, ({ resource }) => resource)].flatMap(([resource, entries]) =>
        entries.map(({ type, name }, index) => ({ resource, nth: index + 1, what: `${type} ${resource} ${name}` })),
      );
    }
  });

  for (const where of ['the fake', 'a real API server'] as const) {
    describe(`a controller that is started into the past, on ${where}`, () => {
      let ground: Ground;
      before(async () => {
        ground = await (where === 'the fake' ? fakeGround() : testCluster({ controllerManager: true }).then(realGround));
      });
      after(() => ground.close());

      test('does no harm, whichever version it is shown, and goes on when it sees the present', async (t) => {
        const stage = await ground.stage();
        const version = async (): Promise<number> =>
          Number(
            (await new Resource<Mailbox>(stage.connection, mailboxes).list({ namespace: stage.namespace })).metadata
              .resourceVersion,
          );
        const from = await version();
        await using lives = new PlayedLives(stage, ground.upstream);
        await lives.start();
        const scenario = new Scenario(stage);
        await scenario.play();
        await quiet(() => lives.requests);
        const to = await version();
        const [end, counts] = [await endState(stage), await ground.counts(stage)];
        const versions = Array.from({ length: to - from + 1 }, (_, index) => from + index);
        const chosen = where === 'the fake' ? versions : sample(t, versions, 6);
        for (const resourceVersion of chosen) {
          await lives.kill();
          const gate = `present after ${resourceVersion}`;
          await lives.start({
            rules: [
              {
                on: 'request',
                match: { verb: ['list', 'watch'] },
                do: { fault: 'time-travel', resourceVersion: `${resourceVersion}`, gate },
              },
            ],
          });
          await quiet(() => lives.requests);
          lives.proxy.follow({ rules: [] });
          lives.proxy.open(gate);
          await scenario.settled();
          await quiet(() => lives.requests);
          assert.deepEqual(await endState(stage), end, `the end state is another after a look at version ${resourceVersion}`);
          assert.deepEqual(await ground.counts(stage), counts, `objects were touched after a look at version ${resourceVersion}`);
        }
        t.diagnostic(`${chosen.length} of ${versions.length} versions`);
      });
    });
  }
}
