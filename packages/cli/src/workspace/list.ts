import type { Workspace } from '@terrain/api';
import { shortAge } from '../output/duration.ts';
import { plain } from '../output/plain.ts';
import { table } from '../output/table.ts';

/** Workspaces as a table. */
export function renderList(workspaces: readonly Workspace[], { nowMs, isWide }: { nowMs: number; isWide: boolean }): string {
  const head = [
    'NAME',
    'PHASE',
    'READY',
    'AGE',
    ...(isWide ? ['NAMESPACE', 'VMS', 'CLUSTERS', 'NETWORKS', 'VOLUMES'] : []),
    'MESSAGE',
  ];
  const rows = workspaces.map(({ metadata, spec, status }) => {
    const age = metadata.creationTimestamp === undefined ? '-' : shortAge(nowMs - Date.parse(metadata.creationTimestamp));
    const counts = [spec.vms, spec.containerClusters, spec.networks, spec.volumes].map((list) => String(list?.length ?? 0));
    return [
      metadata.name,
      metadata.deletionTimestamp === undefined ? (status?.phase ?? '-') : 'Deleting',
      status?.ready ?? '-',
      age,
      ...(isWide ? [status?.namespace ?? '-', ...counts] : []),
      plain(status?.message ?? 'the operator has not seen it yet'),
    ];
  });
  return table([head, ...rows]);
}
