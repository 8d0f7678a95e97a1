import assert from 'node:assert/strict';
import type { FaultProxy, RequestEntry } from '@terrain/runtime/testing';
import { configMaps, mailboxes } from '../example/controller.ts';
import { until } from '../until.ts';
import type { Count } from './ground.ts';

const kinds = [mailboxes.plural, configMaps.plural];

/** Waits until each kind is watched once, as it must be when the faults are over. */
export async function assertWatching(proxy: FaultProxy): Promise<void> {
  for (const resource of kinds) await until(`one open watch on ${resource}`, () => proxy.openWatches({ resource }) === 1, 30_000);
}

/** How many lists were asked for; one of a single object only asks how new the server is. */
export const countLists = (requests: readonly RequestEntry[]): number =>
  requests.filter(({ verb, query }) => verb === 'list' && !/limit=1(&|$)/.test(query)).length;

/** However long one looks, no kind was listed or watched more often than once a second. */
export function assertPaced(requests: readonly RequestEntry[], secondMs = 1000): void {
  for (const resource of kinds)
    for (const verb of ['list', 'watch'] as const) {
      const isMeant = (entry: RequestEntry): boolean =>
        entry.verb === verb && entry.resource === resource && !/continue=/.test(entry.query);
      const times = requests.filter(isMeant).map(({ atMs }) => atMs / secondMs);
      // The first is free; a timer may fire a little early, and a request take longer to get here than the next.
      for (const [index, from] of times.entries())
        for (const [later, to] of times.slice(index + 1).entries())
          assert.ok(
            later < (to - from) * 1.1 + 0.1,
            `${later + 2} requests to ${verb} ${resource} came in ${(to - from).toFixed(2)} s`,
          );
    }
}

/** How often each object was made and removed; how often it was changed may differ where one saw the world in another order. */
export function assertSameLives(run: Record<string, Count>, calm: Record<string, Count>): void {
  const lives = (counts: Record<string, Count>): Record<string, string> =>
    Object.fromEntries(Object.entries(counts).map(([name, { made, removed }]) => [name, `made ${made}, removed ${removed}`]));
  assert.deepEqual(lives(run), lives(calm), 'objects were made or removed another number of times');
}
