/**
 * What a guest cannot learn from its network card: the annotation `pelotech.ot/network` of a NetworkAttachmentDefinition.
 *
 * People write it by hand, so reading is tolerant where the meaning is plain (unknown keys, nameservers as in a Workspace, a
 * destination with host bits) and gives a sentence where it is not: half a network configuration is a guest nobody can reach.
 */
import { type Address, annotations, type Prefix, parseAddress, parsePrefix } from '@terrain/api';

/** One route of a network, in the words of the Workspace seed. */
export type NetworkRoute = { readonly destinationNetworkCidr: string; readonly nextHopIpAddress: string };

/** What the annotation says. An absent annotation says nothing: no routes, no nameservers. */
export type NetworkFacts = {
  readonly cidr?: string;
  readonly gateway?: string;
  readonly nameservers: readonly string[];
  readonly routes: readonly NetworkRoute[];
};

/** The facts, or why they cannot be read: a clause that follows the name of the network. */
export type NetworkFactsReading = { readonly facts: NetworkFacts } | { readonly problem: string };

const shownLength = 60;

/** Ends reading with a sentence; never leaves this file. */
class Unreadable extends Error {}

/**
 * Reads the annotation; undefined when the definition has none.
 *
 * Guarantees: never throws. Every address in the facts is a legal address of the family of the cidr where there is one, every next hop
 * and the gateway lie inside the cidr, and no destination has host bits.
 */
export function parseNetworkFacts(annotation: string | undefined): NetworkFactsReading {
  if (annotation === undefined || annotation.trim() === '') return { facts: { nameservers: [], routes: [] } };
  try {
    return { facts: read(annotation) };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: `annotation ${annotations.network} ${error.message}` };
    throw error;
  }
}

function read(text: string): NetworkFacts {
  const root = record(parseJson(text));
  if (root === undefined) {
    throw new Unreadable('must be a JSON object such as {"cidr":"10.10.0.0/24"}');
  }
  const network = given(root.cidr) ? prefix('cidr', root.cidr, '10.10.0.0/24') : undefined;
  const gateway = given(root.gateway) ? hop('gateway', root.gateway, network) : undefined;
  return {
    ...(network === undefined ? {} : { cidr: network.text }),
    ...(gateway === undefined ? {} : { gateway }),
    nameservers: nameservers(root.nameservers),
    routes: list('routes', root.routes).map((entry, index) => route(`routes[${index}]`, entry, network)),
  };
}

function nameservers(value: unknown): readonly string[] {
  const addresses = record(value)?.addresses;
  return list('nameservers', addresses ?? (record(value) === undefined ? value : undefined)).map(
    (entry, index) => address(`nameservers[${index}]`, entry).text,
  );
}

function route(field: string, value: unknown, network: Prefixed | undefined): NetworkRoute {
  const entry = record(value);
  if (entry === undefined) {
    throw new Unreadable(`has a ${field} that is ${shown(value)}; it must have destinationNetworkCidr and nextHopIpAddress`);
  }
  const destination = prefix(`${field}.destinationNetworkCidr`, entry.destinationNetworkCidr, '0.0.0.0/0');
  const nextHop = hop(`${field}.nextHopIpAddress`, entry.nextHopIpAddress, network);
  if (parseAddress(nextHop)?.bits !== destination.prefix.address.bits) {
    throw new Unreadable(
      `has a ${field} from ${shown(destination.text)} to ${shown(nextHop)}; both must be IPv4 or both must be IPv6`,
    );
  }
  return { destinationNetworkCidr: networkText(destination), nextHopIpAddress: nextHop };
}

type Prefixed = { readonly text: string; readonly prefix: Prefix };

function prefix(field: string, value: unknown, example: string): Prefixed {
  const found = typeof value === 'string' ? parsePrefix(value.trim()) : undefined;
  if (found === undefined) throw new Unreadable(`has ${field} ${shown(value)}; it must be a network such as ${example}`);
  return { text: String(value).trim(), prefix: found };
}

function address(field: string, value: unknown): { readonly text: string; readonly address: Address } {
  const found = typeof value === 'string' ? parseAddress(value.trim()) : undefined;
  if (found === undefined) throw new Unreadable(`has ${field} ${shown(value)}; it must be an IP address such as 10.10.0.1`);
  return { text: String(value).trim(), address: found };
}

/** An address a guest sends packets to: without a place on the network itself, the kernel refuses the route. */
function hop(field: string, value: unknown, network: Prefixed | undefined): string {
  const found = address(field, value);
  if (network !== undefined && !contains(network.prefix, found.address)) {
    throw new Unreadable(
      `has ${field} ${shown(found.text)}, which is not inside its cidr ${network.text}; correct one of the two`,
    );
  }
  return found.text;
}

/** Whether an address lies in the network of a prefix. */
export function contains({ address: base, length }: Prefix, one: Address): boolean {
  const hostBits = BigInt(base.bits - length);
  return base.bits === one.bits && base.value >> hostBits === one.value >> hostBits;
}

/** The network without host bits, with which a kernel refuses a destination. */
function networkText({ text, prefix: { address: base, length } }: Prefixed): string {
  const hostBits = BigInt(base.bits - length);
  const value = (base.value >> hostBits) << hostBits;
  return value === base.value ? text : `${formatAddress({ bits: base.bits, value })}/${length}`;
}

function formatAddress({ bits, value }: Address): string {
  const [width, separator, radix] = bits === 32 ? [8, '.', 10] : [16, ':', 16];
  const parts = Array.from({ length: bits / width }, (_, index) =>
    BigInt.asUintN(width, value >> BigInt(bits - width * (index + 1))).toString(radix),
  );
  return parts.join(separator);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable(`is not JSON: ${shown(text)}`);
  }
}

function list(field: string, value: unknown): readonly unknown[] {
  if (!given(value)) return [];
  if (Array.isArray(value)) return value;
  throw new Unreadable(`has ${field} ${shown(value)}; it must be a list`);
}

const given = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
}
