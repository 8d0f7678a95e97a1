import { isUnseen, type VirtualMachine } from '@terrain/api';
import { type Columns, type ListView, renderObjects, wordsOf } from '../output/object-list.ts';
import { addressOf, interfacesOf } from './address.ts';
import { isCurrent } from './state.ts';

const columns: Columns<VirtualMachine> = {
  usual: [
    ['STATE', ({ status }) => status?.kubevirt?.printableStatus],
    ['ADDRESS', (machine) => interfacesOf(machine).map(addressOf)[0]],
  ],
  wide: [
    ['CPU', ({ spec }) => String(spec.resources.cpu)],
    ['MEMORY', ({ spec }) => String(spec.resources.memory)],
    ['IMAGE', imageOf],
    ['ROOT DISK', ({ status }) => status?.rootDisk],
    ['NETWORKS', networksOf],
  ],
  message: (machine) =>
    isUnseen(machine) || isCurrent(machine)
      ? wordsOf(machine)
      : `the operator has not seen its latest change yet; before that: ${wordsOf(machine)}`,
};

/** Machines as a table, by namespace and name. */
export const renderList = (machines: readonly VirtualMachine[], view: ListView): string => renderObjects(machines, view, columns);

function imageOf({ metadata, spec }: VirtualMachine): string {
  const { name, namespace = '' } = spec.vmDiskImageRef;
  return `${namespace === '' ? metadata.namespace : namespace}/${name}`;
}

function networksOf(machine: VirtualMachine): string | undefined {
  const cards = interfacesOf(machine).map((card) => `${card.network}=${addressOf(card)}`);
  return cards.length === 0 ? undefined : cards.join(',');
}
