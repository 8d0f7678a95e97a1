/** Waits for a cluster that is as it will stay: what it does only in its first half minute is nobody's work. */
import { setTimeout as delay } from 'node:timers/promises';
import { kinds } from '@terrain/api';
import type { ApiTransport } from '@terrain/runtime';
import { samplesOf } from '../../lib/metrics.ts';

const patienceMs = 120_000;

/**
 * Until the garbage collector watches all kinds of ours. It looks for new kinds every thirty seconds; before that it does not know the owners of what
 * we make, and asks the API server for each owner and each owned object, one by one.
 */
export async function collectorKnowsUs(api: ApiTransport, signal: AbortSignal): Promise<void> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const watched = watchedKinds(await api.request<string>({ method: 'GET', path: '/metrics', signal }));
    const missing = kinds.filter(({ group, plural }) => !watched.has(`${group}/${plural}`)).map(({ plural }) => plural);
    if (missing.length === 0) return;
    if (performance.now() > end)
      throw new Error(`after ${patienceMs / 1000} s the garbage collector does not watch ${missing.join(', ')}`);
    await delay(500, undefined, { signal });
  }
}

/** `group/plural` of what somebody watches, by the metrics of an API server. */
export function watchedKinds(metrics: string): Set<string> {
  const found = new Set<string>();
  for (const { label, value } of samplesOf(metrics, 'apiserver_longrunning_requests'))
    if (label('verb') === 'WATCH' && value > 0) found.add(`${label('group')}/${label('resource')}`);
  return found;
}
