import type { ApiTransport } from '@terrain/runtime';

/** How many requests the API server has answered, by verb and resource, as in `PATCH widgets/status`. */
export type RequestCounts = ReadonlyMap<string, number>;

/** Asks the API server itself, so that no contender counts its own requests. */
export async function countRequests(api: ApiTransport): Promise<RequestCounts> {
  return parseRequestCounts(await api.request<string>({ method: 'GET', path: '/metrics' }));
}

const sample = /^apiserver_request_total\{(.*)\} (\S+)$/;

/** Requests of any outcome count: a refused one costs as much. */
export function parseRequestCounts(metrics: string): RequestCounts {
  const counts = new Map<string, number>();
  for (const line of metrics.split('\n')) {
    const [, labels, value] = sample.exec(line) ?? [];
    if (labels === undefined) continue;
    const label = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const subresource = label('subresource');
    const key = `${label('verb')} ${label('resource')}${subresource === '' ? '' : `/${subresource}`}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(value));
  }
  return counts;
}

/**
 * Requests between two counts about widgets and their ConfigMaps. Lists and watches are left out: they come per kind and per page, not per
 * object. The bench itself creates and deletes widgets, so their POST and DELETE are left out as well; no contender needs them.
 */
export function requestsBetween(before: RequestCounts, after: RequestCounts): Map<string, number> {
  const difference = new Map<string, number>();
  for (const [key, count] of after) {
    const grown = count - (before.get(key) ?? 0);
    if (grown > 0 && isContenders(key)) difference.set(key, grown);
  }
  return difference;
}

function isContenders(key: string): boolean {
  const [verb = '', resource = ''] = key.split(' ');
  if (verb === 'LIST' || verb === 'WATCH' || key === 'POST widgets' || key === 'DELETE widgets') return false;
  return /^(widgets|configmaps)(\/|$)/.test(resource);
}
