import type { ApiTransport } from '@terrain/runtime';

/** Answers of the API server so far, as `POST datavolumes 201`. */
export type Answers = ReadonlyMap<string, number>;

const sample = /^apiserver_request_total\{(.*)\} (\S+)$/;

/** Asks the API server itself, so that nobody counts his own requests. */
export async function countAnswers(api: ApiTransport): Promise<Answers> {
  return parseAnswers(await api.request<string>({ method: 'GET', path: '/metrics' }));
}

export function parseAnswers(metrics: string): Answers {
  const counts = new Map<string, number>();
  for (const line of metrics.split('\n')) {
    const [, labels, value] = sample.exec(line) ?? [];
    if (labels === undefined) continue;
    const label = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const subresource = label('subresource');
    // Server-side apply is a patch that has a verb of its own here.
    const verb = label('verb') === 'APPLY' ? 'PATCH' : label('verb');
    const key = `${verb} ${label('resource')}${subresource === '' ? '' : `/${subresource}`} ${label('code')}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(value));
  }
  return counts;
}

/**
 * What only the operator writes while images are synced. The simulator writes the status of DataVolumes and snapshots, claims and pods; the
 * bench creates images and sets the policy by apply.
 */
const operatorWrites =
  /^(PATCH vmdiskimages|PATCH vmdiskimages\/status|POST datavolumes|POST volumesnapshots|PUT configmaps|DELETE (datavolumes|volumesnapshots|vmdiskimages)) /;

export interface Writes {
  /** Accepted ones, by what they were. */
  readonly accepted: ReadonlyMap<string, number>;
  readonly ledgerConflicts: number;
  /** DataVolumes the policy that guards slots did not let pass. */
  readonly refusedCreates: number;
}

export function writesBetween(before: Answers, after: Answers): Writes {
  const accepted = new Map<string, number>();
  const grown = (key: string): number => (after.get(key) ?? 0) - (before.get(key) ?? 0);
  for (const key of after.keys()) {
    const code = Number(key.slice(key.lastIndexOf(' ') + 1));
    const what = key.slice(0, key.lastIndexOf(' '));
    if (operatorWrites.test(key) && code < 300 && grown(key) > 0) accepted.set(what, (accepted.get(what) ?? 0) + grown(key));
  }
  return { accepted, ledgerConflicts: grown('PUT configmaps 409'), refusedCreates: grown('POST datavolumes 403') };
}

export const total = ({ accepted }: Writes): number => accepted.values().reduce((sum, count) => sum + count, 0);
