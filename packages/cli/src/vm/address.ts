import type { VirtualMachine, VirtualMachineStatus } from '@terrain/api';
import { plain } from '../output/plain.ts';

type InterfaceStatus = NonNullable<VirtualMachineStatus['interfaces']>[number];

/** Without its prefix length. */
const bare = (address: string): string => address.split('/', 1)[0] ?? address;

/** The address a network card has; where the guest reports another than was asked for, both. */
export function addressOf({ ipAddress, observedAddress }: Pick<InterfaceStatus, 'ipAddress' | 'observedAddress'>): string {
  const [wanted, seen] = [ipAddress ?? '', observedAddress ?? ''].map((address) => bare(plain(address)));
  if (wanted === undefined || wanted === '') return seen || '-';
  return seen === undefined || seen === '' || seen === wanted ? wanted : `${wanted} (is ${seen})`;
}

/** The network cards of a machine, as the operator reports them, else as the spec asks for them. */
export const interfacesOf = ({ spec, status }: VirtualMachine): readonly InterfaceStatus[] =>
  status?.interfaces ?? spec.interfaces ?? [];
