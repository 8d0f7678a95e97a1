import type { VMDiskImage } from '@terrain/api';
import { shortAge } from '../output/duration.ts';
import { plain } from '../output/plain.ts';
import { table } from '../output/table.ts';

export interface ListView {
  readonly nowMs: number;
  readonly isWide: boolean;
  readonly hasNamespaces: boolean;
}

/** Images as a table, by namespace and name. */
export function renderList(images: readonly VMDiskImage[], { nowMs, isWide, hasNamespaces }: ListView): string {
  const row = (namespace: string, name: string, cells: string[], wide: string[], message: string): string[] => [
    ...(hasNamespaces ? [namespace] : []),
    name,
    ...cells,
    ...(isWide ? wide : []),
    message,
  ];
  const head = row('NAMESPACE', 'NAME', ['PHASE', 'PROGRESS', 'REFERENCES', 'AGE'], ['SIZE', 'SNAPSHOT', 'SOURCE'], 'MESSAGE');
  return table([head, ...images.map(rowOf)]);

  function rowOf({ metadata, spec, status }: VMDiskImage): string[] {
    const age = metadata.creationTimestamp === undefined ? '-' : shortAge(nowMs - Date.parse(metadata.creationTimestamp));
    const phase = metadata.deletionTimestamp === undefined ? (status?.phase ?? '-') : 'Deleting';
    return row(
      metadata.namespace ?? '',
      metadata.name,
      [phase, status?.progress ?? '-', String(status?.references ?? '-'), age],
      [String(spec.diskSize), status?.artifact?.volumeSnapshot ?? '-', spec.url ?? '-'],
      plain(status?.message ?? 'the operator has not seen it yet'),
    );
  }
}
