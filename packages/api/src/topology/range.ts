/** Arithmetic on ranges of addresses. */
import { type Address, type Prefix, parsePrefix } from '#address/address.ts';

/** A network as the span of its addresses. */
export type Range = { readonly bits: 32 | 128; readonly length: number; readonly first: bigint; readonly last: bigint };

/** The network an address with its prefix length lies in. */
export function rangeOf({ address: { bits, value }, length }: Prefix): Range {
  const size = 1n << BigInt(bits - length);
  const first = value - (value % size);
  return { bits, length, first, last: first + size - 1n };
}

/** The range a text such as `10.10.0.0/24` stands for, wherever in it the address lies; undefined when it is none. */
export function parseRange(text: string): Range | undefined {
  const prefix = parsePrefix(text);
  return prefix === undefined ? undefined : rangeOf(prefix);
}

/** Whether an address lies in a range. One of another family never does. */
export const contains = ({ bits, first, last }: Range, { bits: family, value }: Address): boolean =>
  bits === family && first <= value && value <= last;

/** Whether two ranges have an address in common. */
export const overlaps = (a: Range, b: Range): boolean => a.bits === b.bits && a.first <= b.last && b.first <= a.last;

function formatIPv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}

/** RFC 5952: the longest row of zeros, if longer than one, becomes a double colon. */
function formatIPv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

/** An address as people write it. */
export const formatAddress = ({ bits, value }: Address): string => (bits === 32 ? formatIPv4(value) : formatIPv6(value));

/** A range as people write it: `10.10.0.0/24`. */
export const formatRange = ({ bits, first, length }: Range): string => `${formatAddress({ bits, value: first })}/${length}`;

/**
 * The addresses machines may have. The first address stands for the network itself (in IPv6 for its nearest router), the last one of
 * an IPv4 network for all machines at once. Undefined when none is left, or only one: a network connects at least two.
 */
export function usable({ bits, first, last }: Range): { readonly from: bigint; readonly to: bigint } | undefined {
  const from = first + 1n;
  const to = bits === 32 ? last - 1n : last;
  return from < to ? { from, to } : undefined;
}
