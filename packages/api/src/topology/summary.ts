/** Words both drawings use. */
import type { Topology, TopologyMachine, TopologyNetwork } from './model.ts';

const counted = (count: number, one: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${one}${count === 1 ? '' : 's'}`];

/** What a lab consists of, in one line. */
export function summaryOf({ networks, machines, volumes }: Topology): string {
  const of = (kind: string): number => machines.filter((machine) => machine.kind === kind).length;
  const parts = [
    ...counted(networks.filter(({ isDefined }) => isDefined).length, 'network'),
    ...counted(of('VirtualMachine'), 'VM'),
    ...counted(of('ContainerCluster'), 'container cluster'),
    ...counted(volumes, 'volume'),
  ];
  return parts.length === 0 ? 'empty' : parts.join(', ');
}

/** The nameservers of a network that are not on it, each with the machine that has the address if it is one of the lab. */
export function nameserversElsewhere(
  { name, nameservers }: TopologyNetwork,
  machines: readonly TopologyMachine[],
): readonly string[] {
  const members = new Set(machines.filter(({ cards }) => cards.some(({ network }) => network === name)).map((one) => one.name));
  return nameservers.flatMap(({ address, owner }) => {
    if (owner.kind !== 'machine') return [address];
    return members.has(owner.name) ? [] : [`${address} (${owner.name})`];
  });
}
