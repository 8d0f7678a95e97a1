/** What must hold for networks: their ranges, gateways and nameservers. */
import { parseAddress, parsePrefix } from '#address/address.ts';
import type { Lab } from './lab.ts';
import { noAddress, noNetwork, placeProblem } from './place.ts';
import { broken, type TopologyProblem } from './problem.ts';
import { formatRange, overlaps, parseRange, type Range, usable } from './range.ts';

/** What the cluster uses itself. */
export type TopologyOptions = {
  /** Ranges the cluster gives pods addresses from, such as `10.244.0.0/16`. None: not judged. */
  readonly podRanges?: readonly string[];
  /** Ranges the cluster gives Services addresses from, such as `10.96.0.0/16`. None: not judged. */
  readonly serviceRanges?: readonly string[];
};

/** Ranges whose addresses never travel between two machines, or not as those of one machine. */
const special: readonly (readonly [Range, string])[] = (
  [
    ['0.0.0.0/8', 'reserved'],
    ['127.0.0.0/8', 'loopback'],
    ['169.254.0.0/16', 'link-local'],
    ['224.0.0.0/4', 'multicast'],
    ['240.0.0.0/4', 'reserved'],
    ['::/127', 'loopback'],
    ['fe80::/10', 'link-local'],
    ['ff00::/8', 'multicast'],
  ] as const
).map(([text, words]) => [parseRange(text)!, words]);

/** Each network's range is one, has room, and is not special. */
export function ranges(lab: Lab): TopologyProblem[] {
  return lab.networks.flatMap(({ path, cidr, range }) => {
    if (cidr === undefined) return [];
    const problem = (rule: string): TopologyProblem[] => [broken(`${path}.cidr`, cidr, rule)];
    if (range === undefined) return problem(noNetwork);
    if (parsePrefix(cidr)?.address.value !== range.first)
      return problem(`that is an address inside the network, not its first; write ${formatRange(range)}`);
    if (usable(range) === undefined)
      return problem(`that leaves no room for two machines; use a prefix length of at most ${range.bits - 2}`);
    const unusable = special.find(([other]) => overlaps(range, other));
    if (unusable === undefined) return [];
    return problem(`it overlaps ${formatRange(unusable[0])} (${unusable[1]}), which machines cannot use; choose another range`);
  });
}

/** No two networks have addresses in common. Ranges nest or are apart, so in the order of their start the enclosing one is on the stack. */
export function overlapping(lab: Lab): TopologyProblem[] {
  const known = lab.networks.flatMap((network, index) =>
    network.range === undefined ? [] : [{ ...network, range: network.range, index }],
  );
  known.sort(
    ({ range: a, index: i }, { range: b, index: j }) =>
      a.bits - b.bits || compare(a.first, b.first) || a.length - b.length || i - j,
  );
  const around: (typeof known)[number][] = [];
  const problems: { readonly index: number; readonly problem: TopologyProblem }[] = [];
  for (const network of known) {
    while (around.length > 0 && !overlaps(around.at(-1)!.range, network.range)) around.pop();
    const other = around.at(-1);
    around.push(network);
    if (other === undefined) continue;
    const [earlier, later] = other.index < network.index ? [other, network] : [network, other];
    const rule = `it overlaps network ${earlier.name} (${earlier.cidr}); give each network a range of its own`;
    problems.push({ index: later.index, problem: broken(`${later.path}.cidr`, later.cidr, rule) });
  }
  return problems.sort((a, b) => a.index - b.index).map(({ problem }) => problem);
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** No network hides the pods or Services of the cluster from the containers, which keep their card there. */
export function clusterRanges(lab: Lab, { podRanges = [], serviceRanges = [] }: TopologyOptions): TopologyProblem[] {
  const taken = [
    ...podRanges.map((text) => ({ range: parseRange(text), whose: 'pods' })),
    ...serviceRanges.map((text) => ({ range: parseRange(text), whose: 'Services' })),
  ];
  return lab.networks.flatMap(({ path, cidr, range }) =>
    taken.flatMap(({ range: other, whose }) =>
      range !== undefined && other !== undefined && overlaps(range, other)
        ? [
            broken(
              `${path}.cidr`,
              cidr,
              `it overlaps the range of the cluster's ${whose} (${formatRange(other)}), which containers would no longer reach; choose another range`,
            ),
          ]
        : [],
    ),
  );
}

/** The gateway is an address machines could have. */
export function gateways(lab: Lab): TopologyProblem[] {
  return lab.networks.flatMap((network) => {
    const { path, gateway } = network;
    if (gateway === undefined) return [];
    const address = parseAddress(gateway);
    const rule = address === undefined ? noAddress : placeProblem(network, address);
    return rule === undefined ? [] : [broken(`${path}.rangeGateway`, gateway, rule)];
  });
}

/** Nameservers are addresses. They may be anywhere: routes may lead out of the lab. */
export const nameservers = (lab: Lab): TopologyProblem[] =>
  lab.networks.flatMap((network) =>
    network.nameservers
      .filter(({ address }) => parseAddress(address) === undefined)
      .map(({ path, address }) => broken(path, address, noAddress)),
  );
