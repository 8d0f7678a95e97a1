import { after, before, describe, test } from 'node:test';
import { newTestCluster, type TestCluster } from '@terrain/embedded/testing';
import { prepare } from '../apiserver/platform.ts';
import type { Stage } from '../apiserver/stage.ts';
import { drain } from './drain.ts';
import { sized } from './effort.ts';
import { PlayedOperator } from './lives.ts';

describe('an API server that is restarted', () => {
  // A cluster of its own: it is broken again and again.
  let cluster: TestCluster;
  before(async () => {
    cluster = await prepare(await newTestCluster({ controllerManager: true }));
  });
  after(() => cluster.stop());

  test('during a drain changes neither order nor limit, and no image is downloaded twice', async () => {
    const images = sized(12, 1000);
    const restarts = sized(2, 5);
    const isAhead = (stage: Stage, share: number): boolean =>
      stage.images().filter(({ status }) => status?.phase === 'Succeeded').length >= images * share;
    await drain({
      cluster,
      // A server that restarts has forgotten its events, and with a thousand images there are too many to be found again.
      observerConnection: await cluster.connectionApart(),
      images,
      policy: { concurrency: String(sized(3, 32)), retryBackoffDuration: '200ms' },
      begin: (stage) => PlayedOperator.start(stage),
      during: async (stage) => {
        for (let restart = 1; restart <= restarts; restart++) {
          await stage.until('the drain to get on', () => isAhead(stage, restart / (restarts + 2)));
          await cluster.restartApiServer();
        }
      },
    });
  });
});
