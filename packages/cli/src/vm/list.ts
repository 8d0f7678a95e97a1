import type { VirtualMachine } from '@terrain/api';
import { shortAge } from '../output/duration.ts';
import { plain } from '../output/plain.ts';
import { table } from '../output/table.ts';
import { addressOf, interfacesOf } from './address.ts';
import { isCurrent } from './state.ts';

export interface ListView {
  readonly nowMs: number;
  readonly isWide: boolean;
  readonly hasNamespaces: boolean;
}

/** Machines as a table, by namespace and name. */
export function renderList(machines: readonly VirtualMachine[], { nowMs, isWide, hasNamespaces }: ListView): string {
  const row = (namespace: string, name: string, cells: string[], wide: string[], message: string): string[] => [
    ...(hasNamespaces ? [namespace] : []),
    name,
    ...cells,
    ...(isWide ? wide : []),
    message,
  ];
  const head = row(
    'NAMESPACE',
    'NAME',
    ['PHASE', 'STATE', 'ADDRESS', 'AGE'],
    ['CPU', 'MEMORY', 'IMAGE', 'ROOT DISK', 'NETWORKS'],
    'MESSAGE',
  );
  return table([head, ...machines.map(rowOf)]);

  function rowOf(machine: VirtualMachine): string[] {
    const { metadata, spec, status } = machine;
    const age = metadata.creationTimestamp === undefined ? '-' : shortAge(nowMs - Date.parse(metadata.creationTimestamp));
    const phase = metadata.deletionTimestamp === undefined ? (status?.phase ?? '-') : 'Deleting';
    const cards = interfacesOf(machine);
    const { name, namespace = '' } = spec.vmDiskImageRef;
    return row(
      metadata.namespace ?? '',
      metadata.name,
      [phase, status?.kubevirt?.printableStatus ?? '-', cards[0] === undefined ? '-' : addressOf(cards[0]), age],
      [
        String(spec.resources.cpu),
        String(spec.resources.memory),
        `${namespace === '' ? metadata.namespace : namespace}/${name}`,
        status?.rootDisk ?? '-',
        cards.map((card) => `${card.network}=${addressOf(card)}`).join(',') || '-',
      ],
      messageOf(machine),
    );
  }
}

function messageOf(machine: VirtualMachine): string {
  const { status } = machine;
  if (status === undefined) return 'the operator has not seen it yet';
  const words = plain(status.message ?? '');
  return isCurrent(machine) ? words : `the operator has not seen its latest change yet; before that: ${words}`;
}
