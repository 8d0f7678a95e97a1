/** What must hold for network cards: where they are, and that each address is that of one card. */
import { parseAddress, parsePrefix } from '#address/address.ts';
import type { Card, Lab, Network } from './lab.ts';
import { missing } from './names.ts';
import { placeProblem } from './place.ts';
import { broken, type TopologyProblem } from './problem.ts';
import { formatAddress } from './range.ts';

/** Every card is on a network that is there. */
export const knownNetworks = (lab: Lab): TopologyProblem[] =>
  lab.cards.flatMap(({ path, network }) =>
    network === undefined || lab.networkByName.has(network)
      ? []
      : [broken(`${path}.network`, network, missing(network, 'network', `${lab.path}.networks`, [...lab.networkByName.keys()]))],
  );

/** A machine or container cluster has one card per network: cards are told apart by their network. */
export const oneCardPerNetwork = (lab: Lab): TopologyProblem[] =>
  [...lab.vms, ...lab.clusters].flatMap(({ cards }) => {
    const first = new Map<string, string>();
    return cards.flatMap(({ path, network }) => {
      if (network === undefined) return [];
      const earlier = first.get(network);
      if (earlier === undefined) first.set(network, path);
      if (earlier === undefined) return [];
      return [broken(`${path}.network`, network, `${earlier} is on that network already; keep one of the two`)];
    });
  });

/** Addresses fit their network, and none is taken. */
export function addresses(lab: Lab): TopologyProblem[] {
  const taken = new Map<string, string>();
  return lab.cards.flatMap((card) => {
    const network = card.network === undefined ? undefined : lab.networkByName.get(card.network);
    return addressRules(card, network, taken).map((rule) => broken(`${card.path}.ipAddress`, card.ipAddress, rule));
  });
}

function addressRules({ path, ipAddress }: Card, network: Network | undefined, taken: Map<string, string>): string[] {
  if (ipAddress === undefined) return [];
  const prefix = parsePrefix(ipAddress);
  if (prefix === undefined) return [formRule(ipAddress, network)];
  if (network?.range === undefined) return [];
  const { name, range } = network;
  const address = formatAddress(prefix.address);
  const place = placeProblem(network, prefix.address);
  if (place !== undefined) return [place];
  const key = `${name} ${address}`;
  const earlier = taken.get(key);
  if (earlier === undefined) taken.set(key, path);
  const gateway = network.gateway === undefined ? undefined : parseAddress(network.gateway);
  return [
    ...(prefix.length === range.length
      ? []
      : [`network ${name} has prefix length ${range.length}; write ${address}/${range.length}`]),
    ...(gateway?.value === prefix.address.value
      ? [`network ${name} reserves that address as its rangeGateway; choose another one`]
      : []),
    ...(earlier === undefined ? [] : [`${earlier} has that address already; give each card its own`]),
  ];
}

function formRule(text: string, network: Network | undefined): string {
  const length = network?.range?.length;
  if (parseAddress(text) === undefined || length === undefined)
    return 'an IP address with its prefix length is needed, such as 10.10.0.161/24';
  return `its prefix length is missing; write ${text}/${length}`;
}

const macForm = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;

/** Hardware addresses tell cards apart: within a network always, and within a machine because guests find their cards by them. */
export function hardwareAddresses(lab: Lab): TopologyProblem[] {
  const taken = new Map<string, string>();
  const claim = (key: string, path: string): string | undefined => {
    const earlier = taken.get(key);
    if (earlier === undefined) taken.set(key, path);
    return earlier;
  };
  return [...lab.vms, ...lab.clusters].flatMap((holder) =>
    holder.cards.flatMap(({ path, network = '', macAddress }) => {
      const mac = macAddress?.toLowerCase();
      if (mac === undefined) return [];
      const problem = (rule: string): TopologyProblem[] => [broken(`${path}.macAddress`, macAddress, rule)];
      if (!macForm.test(mac)) return problem('six pairs of hexadecimal digits are needed, such as 02:00:5e:10:00:01');
      if (mac === '00:00:00:00:00:00') return problem('no card can have that address; choose another one, or leave it out');
      const inMachine = claim(`machine ${holder.path} ${mac}`, path);
      const inNetwork = claim(`network ${network} ${mac}`, path);
      if (inMachine !== undefined) return problem(`${inMachine} has it already; give each card its own, or leave it out`);
      if (inNetwork === undefined) return [];
      return problem(`${inNetwork} has it on network ${network} already; give each card its own, or leave it out`);
    }),
  );
}
