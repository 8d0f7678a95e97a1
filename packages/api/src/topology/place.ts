import type { Address } from '#address/address.ts';
import type { Network } from './lab.ts';
import { contains, formatAddress, usable } from './range.ts';

/** What a text that is no network is told. */
export const noNetwork = 'a network is written as its first address and its prefix length, such as 10.10.0.0/24';
/** What a text that is no address is told. */
export const noAddress = 'an IP address without prefix length is needed, such as 10.10.0.1';

/** What keeps an address from being that of a machine in a network; undefined when nothing does, or the network is not known. */
export function placeProblem({ name, cidr, range }: Network, address: Address): string | undefined {
  if (range === undefined) return undefined;
  const where = `network ${name} (${cidr})`;
  if (range.bits !== address.bits) {
    const family = range.bits === 32 ? 'IPv4' : 'IPv6';
    return `${where} is ${family}; choose an ${family} address inside it`;
  }
  if (!contains(range, address)) return `it is not inside ${where}; correct the address or the cidr`;
  const room = usable(range);
  if (room === undefined || (room.from <= address.value && address.value <= room.to)) return undefined;
  const choice = [room.from, room.to].map((value) => formatAddress({ bits: range.bits, value })).join(' to ');
  return address.value === range.first
    ? `that is the first address of ${where}, which stands for the network itself; choose one of ${choice}`
    : `that is the last address of ${where}, which stands for all machines in it; choose one of ${choice}`;
}
