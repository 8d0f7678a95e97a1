import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newTestCluster, type TestCluster } from '@terrain/embedded/testing';
import { until } from '../until.ts';
import { isExhaustive, sample } from './effort.ts';
import { type Ground, realGround } from './ground.ts';
import { PlayedLives } from './lives.ts';
import { assertPaced, assertSameLives, assertWatching, countLists } from './oracles.ts';
import { endState, Scenario } from './scenario.ts';
import { type Outcome, quiet, trial } from './trial.ts';

const write = { verb: 'write', not: { resource: 'events' } } as const;

export function restartSuite(): void {
  describe('a controller whose API server is restarted', () => {
    // A cluster of its own: it is broken again and again.
    let cluster: TestCluster;
    let ground: Ground;
    let calm: Outcome;
    before(async () => {
      cluster = await newTestCluster({ controllerManager: true });
      ground = await realGround(cluster);
      calm = await trial(ground, (stage) => new PlayedLives(stage, ground.upstream));
    });
    after(async () => {
      await ground.close();
      await cluster.stop();
    });

    test('in the middle of its work comes to the same end', async (t) => {
      const stage = await ground.stage();
      await using lives = new PlayedLives(stage, ground.upstream);
      await lives.start();
      const steps = [...new Scenario(stage).steps()];
      const broken = new Set(sample(t, steps.slice(1), 2));
      let slowestMs = 0;
      for (const step of steps) {
        const before = lives.proxy.log.count(write);
        const running = step();
        if (!broken.has(step)) {
          await running;
          continue;
        }
        running.catch(() => undefined);
        await until('write', () => lives.proxy.log.count(write) > before);
        // On SIGTERM the server waits a minute for its watches to end.
        await cluster.restartApiServer(isExhaustive && broken.size % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
        const readyAt = performance.now();
        await running;
        broken.delete(step);
        slowestMs = Math.max(slowestMs, performance.now() - readyAt);
      }
      t.diagnostic(`all was as it should be at most ${(slowestMs / 1000).toFixed(1)} s after the server was ready again`);
      assert.ok(slowestMs < 20_000, 'however long the server was away');
      await quiet(() => lives.requests);
      await assertWatching(lives.proxy);
      assertPaced(lives.requests);
      assert.deepEqual(await endState(stage), calm.end);
      assertSameLives(await ground.counts(stage), calm.counts);
      const relisted = countLists(lives.proxy.log.requests) - 2;
      t.diagnostic(`${relisted} lists after versions the server had forgotten`);
    });
  });
}
