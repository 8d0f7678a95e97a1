/** The network cards of a guest, as both KubeVirt and the guest's own network configuration must know them. */
import { macAddress, parseAddress, parsePrefix, type VirtualMachine } from '@terrain/api';
import { contains, type NetworkFacts, type NetworkRoute } from './network-facts.ts';

/** One route of a guest. A metric only where several networks lead to one destination: the first network wins. */
export type GuestRoute = { readonly to: string; readonly via: string; readonly metric?: number };

/** One network card. */
export type GuestInterface = {
  /** Its name in the guest and in the KubeVirt machine: `nic0`, `nic1`, in the order of the spec. */
  readonly name: string;
  /** The NetworkAttachmentDefinition; undefined is the pod network. */
  readonly network: string | undefined;
  /** In lower case. KubeVirt must get it too: one of its own choice changes at every start, and the guest would know none of its cards. */
  readonly macAddress: string;
  /** The pod network hands out its address; a lab network has nobody who does. */
  readonly dhcp: boolean;
  /** With prefix length; none when the spec asks for none. */
  readonly addresses: readonly string[];
  readonly routes: readonly GuestRoute[];
  readonly nameservers: readonly string[];
};

const everything: Record<number, string> = { 32: '0.0.0.0/0', 128: '::/0' };
const metricStep = 100;

/**
 * The network cards of a machine: one per interface of its spec, or the pod network's when it has none.
 *
 * `networks` holds the facts of each network by name; one that is missing counts as a network nothing is known of.
 *
 * Guarantees: the same machine and facts give the same cards. No route leads through the machine itself, which a kernel refuses: the
 * router of a network reads the same routes as everybody else on it. A gateway is the way out only where no route says another.
 */
export function guestInterfaces(vm: VirtualMachine, networks: ReadonlyMap<string, NetworkFacts>): readonly GuestInterface[] {
  const uid = vm.metadata.uid;
  if (uid === undefined) throw new Error(`VirtualMachine ${vm.metadata.name} has no UID: only a stored one has network cards`);
  const wanted = vm.spec.interfaces ?? [];
  if (wanted.length === 0) {
    return [
      {
        name: 'nic0',
        network: undefined,
        macAddress: macAddress(uid, ''),
        dhcp: true,
        addresses: [],
        routes: [],
        nameservers: [],
      },
    ];
  }
  const own = new Set(wanted.flatMap(({ ipAddress }) => (ipAddress === undefined ? [] : [addressKey(ipAddress)])));
  // A card without an address reaches no next hop.
  const reached = wanted.map(({ network, ipAddress }) => (ipAddress === undefined ? undefined : networks.get(network)));
  const routes = withMetrics(withWaysOut(reached, own));
  return wanted.map((one, index) => {
    const facts = networks.get(one.network);
    return {
      name: `nic${index}`,
      network: one.network,
      macAddress: (one.macAddress ?? macAddress(uid, one.network)).toLowerCase(),
      dhcp: false,
      addresses: one.ipAddress === undefined ? [] : [withPrefix(one.ipAddress, facts)],
      routes: routes[index] ?? [],
      nameservers: facts?.nameservers ?? [],
    };
  });
}

/**
 * The routes of each network, without those that lead through the machine itself. The first network with a gateway gets the default
 * route of its family, unless a route somewhere already is one.
 */
function withWaysOut(
  networks: readonly (NetworkFacts | undefined)[],
  own: ReadonlySet<string>,
): readonly (readonly GuestRoute[])[] {
  const routes = networks.map((facts) => usableRoutes(facts?.routes ?? [], own));
  const taken = new Set(routes.flat().map(({ to }) => destinationKey(to)));
  return routes.map((of, index) => {
    const gateway = networks[index]?.gateway;
    const to = gateway === undefined ? undefined : everything[parseAddress(gateway)?.bits ?? 0];
    if (gateway === undefined || to === undefined || own.has(addressKey(gateway)) || taken.has(destinationKey(to))) return of;
    taken.add(destinationKey(to));
    return [...of, { to, via: gateway }];
  });
}

function usableRoutes(routes: readonly NetworkRoute[], own: ReadonlySet<string>): readonly GuestRoute[] {
  return routes
    .filter(({ nextHopIpAddress }) => !own.has(addressKey(nextHopIpAddress)))
    .map(({ destinationNetworkCidr, nextHopIpAddress }) => ({ to: destinationNetworkCidr, via: nextHopIpAddress }));
}

/** Two routes to one destination are legal only with different metrics. */
function withMetrics(routes: readonly (readonly GuestRoute[])[]): readonly (readonly GuestRoute[])[] {
  const total = Map.groupBy(routes.flat(), ({ to }) => destinationKey(to));
  const seen = new Map<string, number>();
  return routes.map((of) =>
    of.map((route) => {
      const key = destinationKey(route.to);
      if ((total.get(key)?.length ?? 0) < 2) return route;
      const rank = (seen.get(key) ?? 0) + 1;
      seen.set(key, rank);
      return { ...route, metric: rank * metricStep };
    }),
  );
}

/** The same for two spellings of one network. */
function destinationKey(to: string): string {
  const prefix = parsePrefix(to);
  return prefix === undefined ? to : `${prefix.address.bits}:${prefix.address.value}/${prefix.length}`;
}

/** Admission wants a prefix length; an address from before that rule takes its network's, where it lies in it. */
function withPrefix(address: string, facts: NetworkFacts | undefined): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return address;
  const network = parsePrefix(facts?.cidr ?? '');
  return `${address}/${network !== undefined && contains(network, parsed) ? network.length : parsed.bits}`;
}

/** The same for two spellings of one address, with or without its prefix length. */
function addressKey(address: string): string {
  const [plain = address] = address.split('/', 1);
  const parsed = parseAddress(plain);
  return parsed === undefined ? plain : `${parsed.bits}:${parsed.value}`;
}
