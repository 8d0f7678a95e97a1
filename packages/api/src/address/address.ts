/** IP addresses and networks, as the API server's `isIP` and `isCIDR` read them. */

/** An address as a number, with the number of its bits: 32 or 128. */
export type Address = { readonly bits: 32 | 128; readonly value: bigint };

/** A network or an address with its prefix length: the address may lie anywhere in the network. */
export type Prefix = { readonly address: Address; readonly length: number };

const octet = /^(0|[1-9][0-9]{0,2})$/;
const group = /^[0-9a-fA-F]{1,4}$/;

function parseIPv4(text: string): Address | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((part) => octet.test(part) && Number(part) <= 255)) return undefined;
  return { bits: 32, value: octets.reduce((value, part) => (value << 8n) | BigInt(part), 0n) };
}

function parseIPv6(text: string): Address | undefined {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...right];
  if (!all.every((part) => group.test(part))) return undefined;
  const value = all.reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
  // An IPv4 address in IPv6 clothes is a way around rules about addresses; the API server refuses it too.
  return value >> 32n === 0xffffn ? undefined : { bits: 128, value };
}

/** The address a text stands for, or undefined. No zone, no leading zeros, no IPv4 address mapped into IPv6. */
export const parseAddress = (text: string): Address | undefined => (text.includes(':') ? parseIPv6(text) : parseIPv4(text));

/** The address and prefix length a text such as `10.10.0.161/24` stands for, or undefined. */
export function parsePrefix(text: string): Prefix | undefined {
  const [left = '', right = '', ...more] = text.split('/');
  const address = parseAddress(left);
  if (address === undefined || more.length > 0 || !octet.test(right) || Number(right) > address.bits) return undefined;
  return { address, length: Number(right) };
}
