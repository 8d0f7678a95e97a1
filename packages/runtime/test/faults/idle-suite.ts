import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testCluster } from '@terrain/embedded/testing';
import { type KubeObject, Resource } from '@terrain/runtime';
import type { FaultRule, RequestFault } from '@terrain/runtime/testing';
import { configMaps, type Mailbox, mailboxes, mailLabel } from '../example/controller.ts';
import { until } from '../until.ts';
import { eachOf, isExhaustive } from './effort.ts';
import { type Ground, realGround } from './ground.ts';
import { PlayedLives, RealLives } from './lives.ts';
import { assertWatching } from './oracles.ts';
import type { Stage } from './scenario.ts';
import { quiet } from './trial.ts';

const population = isExhaustive ? 10_000 : 2000;
const idleMs = 60_000;

export function idleSuite(): void {
  describe(`a controller with ${population} objects that are as they should be`, { concurrency: 2 }, () => {
    let ground: Ground;
    let stage: Stage;
    let lives: RealLives;
    before(async () => {
      ground = await realGround(await testCluster({ controllerManager: true }));
      stage = await ground.stage();
      lives = await RealLives.prepare(stage, ground.upstream, { env: { LEASE: `${stage.namespace}/mailboxes` } });
      await populate();
      await lives.start();
      const isReady = (): boolean => lives.proxy.log.count({ verb: 'patch', subresource: 'status' }) >= population;
      await Promise.race([until(`status of ${population} objects`, isReady, 60_000 + population * 120, 250), lives.unasked]);
      await quiet(() => lives.requests, 1000);
    });
    after(async () => {
      await lives[Symbol.asyncDispose]();
      await ground.close();
    });

    async function populate(): Promise<void> {
      const { namespace, connection } = stage;
      const settings = { name: 'mail', namespace, labels: { [mailLabel]: 'settings' } };
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: settings, data: { domain: 'one.test' } };
      await new Resource<KubeObject>(connection, configMaps).create(map);
      const boxes = new Resource<Mailbox>(connection, mailboxes);
      const names = Array.from({ length: population }, (_, index) => `box-${index}`);
      await eachOf(names, 16, async (name) => {
        const spec = { settings: 'mail', quotaMiB: 10 };
        await boxes.create({ apiVersion: 'example.dev/v1', kind: 'Mailbox', metadata: { name, namespace }, spec });
      });
    }

    test(`asks for nothing but its lease in ${idleMs / 1000} s`, async (t) => {
      const from = lives.proxy.log.entries.length;
      const end = performance.now() + idleMs;
      await until('end of the watch over it', () => performance.now() >= end, idleMs + 10_000, 250);
      const said = lives.proxy.log.entries.slice(from);
      const inWords = said.map((entry) => (entry.sort === 'request' ? `${entry.verb} ${entry.resource}` : entry.type));
      const tally = Object.fromEntries(
        Object.entries(Object.groupBy(inWords, (word) => word)).map(([word, all]) => [word, all?.length]),
      );
      t.diagnostic(JSON.stringify(tally));
      const { 'update leases': renewals = 0, BOOKMARK: bookmarks = 0, ...others } = tally;
      // A server ends every watch after five to ten minutes; it is continued, which is no work.
      for (const watch of ['watch mailboxes', 'watch configmaps'] as const) if (others[watch] === 1) delete others[watch];
      assert.deepEqual(others, {});
      assert.ok(renewals > 0 && renewals <= 31, `it renewed its lease ${renewals} times, not every other second`);
      assert.ok(bookmarks >= 2, `the server sent ${bookmarks} bookmarks, so the watches may be dead`);
      assert.equal(lives.proxy.openWatches(), 2);
    });

    test('never acts on a part of a list', async () => {
      const onPage = (resource: string, page: number, fault: RequestFault): FaultRule => ({
        on: 'request',
        match: { verb: 'list', resource },
        nth: page,
        do: fault,
      });
      const rules = [
        onPage(mailboxes.plural, 2, { fault: 'answer', code: 500 }),
        // Counted over all lists, so these are pages of the second and the third attempt.
        onPage(mailboxes.plural, 5, { fault: 'answer', code: 410, reason: 'Expired' }),
        onPage(configMaps.plural, 3, { fault: 'lose-reply' }),
        onPage(configMaps.plural, 4, { fault: 'slow-body', chunkBytes: 20_000, everyMs: 5 }),
        onPage(configMaps.plural, 6, { fault: 'refuse' }),
      ];
      await using restarted = new PlayedLives(stage, ground.upstream, { plans: [{ rules }] });
      await restarted.start();
      await assertWatching(restarted.proxy);
      await quiet(() => restarted.requests, 1000);
      assert.deepEqual(
        restarted.requests
          .filter(({ fault }) => fault !== undefined)
          .map(({ resource, fault }) => `${resource} ${fault}`)
          .toSorted(),
        ['configmaps lose-reply', 'configmaps refuse', 'configmaps slow-body', 'mailboxes answer', 'mailboxes answer'],
      );
      assert.deepEqual(
        restarted.requests.filter(({ verb }) => verb !== 'list' && verb !== 'watch'),
        [],
      );
    });
  });
}
