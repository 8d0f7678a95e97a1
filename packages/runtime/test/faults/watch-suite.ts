import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testCluster } from '@terrain/embedded/testing';
import { type Clock, sleepOn, systemClock } from '@terrain/runtime';
import type { EventFault, FaultPlan, FaultRule, RequestFault } from '@terrain/runtime/testing';
import { configMaps, mailboxes } from '../example/controller.ts';
import { type Ground, realGround } from './ground.ts';
import { PlayedLives } from './lives.ts';
import { assertPaced, assertSameLives, assertWatching } from './oracles.ts';
import { endState, Scenario } from './scenario.ts';
import { type Outcome, quiet, trial } from './trial.ts';

type Nth = FaultRule['nth'];
const first = (count: number): Nth => ({ from: 1, to: count });
const rules = (...list: readonly FaultRule[]): FaultPlan => ({ seed: 7, rules: list });
const onWatches = (fault: RequestFault, nth?: Nth): FaultPlan =>
  rules({ on: 'request', match: { verb: 'watch' }, do: fault, ...(nth === undefined ? {} : { nth }) });
const onEvents = (fault: EventFault, resource?: string): FaultPlan =>
  rules({ on: 'event', match: resource === undefined ? {} : { resource }, do: fault });
const onShare = (share: number, fault: RequestFault): FaultPlan => rules({ on: 'request', share, do: fault });

/** Ten times as fast in all it measures, so that a minute of silence is over in seconds. */
const factor = 10;
const fastClock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * factor,
  setTimeout: (callback, ms) => systemClock.setTimeout(callback, ms / factor),
  sleep: (ms, signal) => sleepOn(fastClock, ms, signal),
};

interface Fault {
  readonly plan: FaultPlan;
  readonly clock?: Clock;
}

const faults: Record<string, Fault> = {
  'every event arrives twice': { plan: onEvents({ fault: 'duplicate' }) },
  'every event arrives again two events later': { plan: onEvents({ fault: 'duplicate', afterEvents: 2 }) },
  'events of the children are late': { plan: onEvents({ fault: 'delay', ms: 150 }, configMaps.plural) },
  'events of the owners are late': { plan: onEvents({ fault: 'delay', ms: 150 }, mailboxes.plural) },
  'all watches lag': { plan: onWatches({ fault: 'lag', ms: 500 }) },
  'watches end after each event': { plan: onWatches({ fault: 'close-watch', afterEvents: 1 }, first(8)) },
  'watches are reset after each event': { plan: onWatches({ fault: 'close-watch', afterEvents: 1, how: 'reset' }, first(8)) },
  'watches are black holes after two events': {
    plan: onWatches({ fault: 'blackhole', afterEvents: 2 }, first(3)),
    clock: fastClock,
  },
  'watches are black holes from the start': { plan: onWatches({ fault: 'blackhole' }, first(2)), clock: fastClock },
  'versions are too old, told by the status': { plan: onWatches({ fault: 'expire', as: 'status' }, [1, 2, 4, 5]) },
  'versions are too old, told by an event': { plan: onWatches({ fault: 'expire', as: 'event', afterEvents: 1 }, first(6)) },
  'a third of all requests is throttled': { plan: onShare(0.3, { fault: 'answer', code: 429, retryAfterSeconds: 1 }) },
  'a third of all requests fails': { plan: onShare(0.3, { fault: 'answer', code: 500 }) },
  'a third of all connections breaks': { plan: onShare(0.3, { fault: 'refuse' }) },
  'a third of all answers is lost': { plan: onShare(0.3, { fault: 'lose-reply' }) },
  'answers arrive in small pieces': { plan: onShare(1, { fault: 'slow-body', chunkBytes: 200, everyMs: 5 }) },
  'every connection is closed after its answer': { plan: onShare(1, { fault: 'close-after' }) },
};

export function watchSuite(): void {
  describe('a controller on a real API server comes to the same end when', { concurrency: 6 }, () => {
    let ground: Ground;
    let calm: Outcome;
    before(async () => {
      ground = await realGround(await testCluster({ controllerManager: true }));
      calm = await trial(ground, (stage) => new PlayedLives(stage, ground.upstream));
    });
    after(() => ground.close());

    for (const [name, { plan, clock }] of Object.entries(faults)) {
      test(name, async () => {
        const stage = await ground.stage();
        await using lives = new PlayedLives(stage, ground.upstream, { plans: [plan], ...(clock === undefined ? {} : { clock }) });
        await lives.start();
        const scenario = new Scenario(stage);
        await scenario.play();
        const met = lives.proxy.log.entries.filter(({ fault }) => fault !== undefined).length;
        assert.ok(met > 0, 'nothing went wrong, so nothing was shown');
        lives.proxy.follow({ rules: [] });
        await quiet(() => lives.requests);
        await assertWatching(lives.proxy);
        assertPaced(lives.requests, clock === undefined ? 1000 : 1000 / factor);
        await lives.stop();
        assert.deepEqual(await endState(stage), calm.end);
        assertSameLives(await ground.counts(stage), calm.counts);
      });
    }
  });
}
