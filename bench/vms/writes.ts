import type { ApiTransport } from '@terrain/runtime';
import { samplesOf } from '../lib/metrics.ts';

/** Accepted writes of the API server so far, as `POST kubevirt.io virtualmachines`. */
export type Writes = ReadonlyMap<string, number>;

const verbs = new Set(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE']);

/** Asks the API server itself, so that nobody counts his own requests. */
export async function countWrites(api: ApiTransport): Promise<Writes> {
  return parseWrites(await api.request<string>({ method: 'GET', path: '/metrics' }));
}

export function parseWrites(metrics: string): Writes {
  const counts = new Map<string, number>();
  for (const { label, value } of samplesOf(metrics, 'apiserver_request_total')) {
    if (!verbs.has(label('verb')) || !label('code').startsWith('2')) continue;
    const subresource = label('subresource');
    const key = `${label('verb')} ${label('group')} ${label('resource')}${subresource === '' ? '' : `/${subresource}`}`;
    counts.set(key, (counts.get(key) ?? 0) + value);
  }
  return counts;
}

export const sum = (writes: Writes): number => writes.values().reduce((all, count) => all + count, 0);

/**
 * What only the operator writes while machines are made: the simulator writes the status of DataVolumes and KubeVirt's machines by patch and makes
 * the instances; the bench makes the machines themselves.
 */
const operatorWrites = new Set([
  'APPLY pelotech.ot virtualmachines/status',
  'PATCH pelotech.ot virtualmachines',
  'APPLY pelotech.ot vmdiskimages/status',
  'POST cdi.kubevirt.io datavolumes',
  'POST  secrets',
  'APPLY  secrets',
  'POST kubevirt.io virtualmachines',
  'APPLY kubevirt.io virtualmachines',
  'POST events.k8s.io events',
  'PATCH events.k8s.io events',
]);

/** The operator's writes between two moments, by what they were. */
export function operatorWritesBetween(before: Writes, after: Writes): Map<string, number> {
  const grown = [...after].map(([key, count]): [string, number] => [key, count - (before.get(key) ?? 0)]);
  return new Map(grown.filter(([key, count]) => operatorWrites.has(key) && count > 0));
}
