/** What must hold for routes. */
import { parseAddress, parsePrefix } from '#address/address.ts';
import type { Lab, Network, Route } from './lab.ts';
import { noAddress, noNetwork, placeProblem } from './place.ts';
import { broken, type TopologyProblem } from './problem.ts';
import { contains, formatRange, parseRange, type Range, rangeOf } from './range.ts';

/** Routes lead from a network over one of its own addresses to somewhere else, one for each destination. */
export const routes = (lab: Lab): TopologyProblem[] =>
  lab.networks.flatMap((network) => [
    ...network.routes.flatMap((route) => [...destination(network, route), ...nextHop(network, route)]),
    ...repeatedDestinations(network),
  ]);

function destination({ name, cidr, range: own }: Network, { path, destination: text }: Route): TopologyProblem[] {
  if (text === undefined) return [];
  const problem = (rule: string): TopologyProblem[] => [broken(`${path}.destinationNetworkCidr`, text, rule)];
  const prefix = parsePrefix(text);
  if (prefix === undefined) return problem(noNetwork);
  const range = rangeOf(prefix);
  if (prefix.address.value !== range.first)
    return problem(`that is an address inside a network, not its first; write ${formatRange(range)}`);
  if (own === undefined) return [];
  if (own.bits !== range.bits)
    return problem(`network ${name} (${cidr}) is ${family(own)}; write an ${family(own)} destination, or remove the route`);
  if (own.first === range.first && own.length === range.length)
    return problem(`that is network ${name} itself, which needs no route; remove it`);
  return [];
}

function nextHop(network: Network, { path, nextHop: text }: Route): TopologyProblem[] {
  if (text === undefined) return [];
  const address = parseAddress(text);
  const { name, cidr, range } = network;
  const isOutside = address !== undefined && range !== undefined && range.bits === address.bits && !contains(range, address);
  const rule =
    address === undefined
      ? noAddress
      : isOutside
        ? `from network ${name} (${cidr}) an address outside it cannot be reached; name the address inside it that leads there`
        : placeProblem(network, address);
  return rule === undefined ? [] : [broken(`${path}.nextHopIpAddress`, text, rule)];
}

function repeatedDestinations({ name, routes: all }: Network): TopologyProblem[] {
  const first = new Map<string, string>();
  return all.flatMap(({ path, destination: text }) => {
    const range = text === undefined ? undefined : parseRange(text);
    if (range === undefined) return [];
    const key = formatRange(range);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, path);
    if (earlier === undefined) return [];
    const rule = `${earlier} leads there already, and only one route of network ${name} can; remove one of them`;
    return [broken(`${path}.destinationNetworkCidr`, text, rule)];
  });
}

const family = ({ bits }: Range): string => (bits === 32 ? 'IPv4' : 'IPv6');
