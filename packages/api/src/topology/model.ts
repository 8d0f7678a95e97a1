/** What a drawing of a lab shows: networks, what is attached to them and where routes lead. */
import { parseAddress, parsePrefix } from '#address/address.ts';
import type { WorkspaceSpec, WorkspaceStatus } from '#workspace/schema.ts';
import { entriesAt, entryAt, type Holder, type Lab, type Network, readLab, textOf } from './lab.ts';
import { formatAddress } from './range.ts';

/** Who has an address: a machine by its name, the gateway of the network, or nobody in the lab. */
export type AddressOwner =
  | { readonly kind: 'machine'; readonly name: string }
  | { readonly kind: 'gateway' }
  | { readonly kind: 'nobody' };

/** Where a part of a live lab is in its life. */
export type PartState = { readonly phase: 'Provisioning' | 'Failed' | 'Ready'; readonly message: string };

/** A route of a network, with who its next hop is. */
export type TopologyRoute = { readonly destination: string; readonly nextHop: string; readonly via: AddressOwner };

/** A network as it is drawn. */
export type TopologyNetwork = {
  readonly name: string;
  readonly cidr: string;
  /** False for a name that cards refer to and the lab does not define. */
  readonly isDefined: boolean;
  readonly gateway: string | undefined;
  readonly nameservers: readonly { readonly address: string; readonly owner: AddressOwner }[];
  readonly routes: readonly TopologyRoute[];
  readonly state: PartState | undefined;
};

/** Something with network cards as it is drawn. */
export type TopologyMachine = {
  readonly kind: 'VirtualMachine' | 'ContainerCluster' | 'DeployRunner';
  readonly name: string;
  /** A few words: the size of a machine, the containers of a cluster. */
  readonly detail: string;
  readonly isStopped: boolean;
  /** Ports of the Service of a cluster, such as `53/udp`. */
  readonly ports: readonly string[];
  /** The first card on each network. */
  readonly cards: readonly { readonly network: string; readonly address: string | undefined }[];
  readonly state: PartState | undefined;
};

/** A lab as it is drawn. */
export type Topology = {
  readonly name: string;
  readonly networks: readonly TopologyNetwork[];
  readonly machines: readonly TopologyMachine[];
  readonly volumes: number;
};

type Components = WorkspaceStatus['components'];

/**
 * The drawing of a lab, of a file as well as of a live one; `components` of the status gives each part its state.
 * Guarantees: never throws, also not on a lab with problems, so that a person can look for them in the picture.
 */
export function topologyOf(name: string, spec: WorkspaceSpec, components: Components = []): Topology {
  const lab = readLab(spec);
  const states = new Map(
    components.map(({ kind, name: part, phase, message = '' }) => [`${kind} ${part}`, { phase, message }] as const),
  );
  const isOff = lab.fields.powerState === 'Stopped';
  const machines = [
    ...lab.vms.map((vm) => machineOf(vm, 'VirtualMachine', { isOff, states })),
    ...lab.clusters.map((cluster) => machineOf(cluster, 'ContainerCluster', { isOff, states })),
    ...runnerOf(lab),
  ];
  const owners = ownersOf(machines);
  const unknown = new Set(machines.flatMap(({ cards }) => cards.map(({ network }) => network)));
  for (const network of lab.networkByName.keys()) unknown.delete(network);
  return {
    name,
    networks: [
      ...[...lab.networkByName.values()].map((network) => networkOf(network, owners, states.get(`Network ${network.name}`))),
      ...[...unknown].map(undefinedNetwork),
    ],
    machines,
    volumes: lab.volumes.length,
  };
}

type Live = { readonly isOff: boolean; readonly states: ReadonlyMap<string, PartState> };

function machineOf(holder: Holder, kind: 'VirtualMachine' | 'ContainerCluster', { isOff, states }: Live): TopologyMachine {
  const { fields, name } = holder;
  const containers = entriesAt(holder, 'containers');
  const isStopped =
    isOff || fields.powerState === 'Stopped' || (fields.ignoreOnDeploy === true && fields.powerState !== 'Running');
  const cards = new Map<string, string | undefined>();
  for (const { network, ipAddress } of holder.cards)
    if (network !== undefined && !cards.has(network)) cards.set(network, ipAddress);
  return {
    kind,
    name,
    detail:
      kind === 'VirtualMachine' ? sizeOf(holder) : containers.map((container) => textOf(container.fields.name) ?? '').join(', '),
    isStopped,
    ports: containers.flatMap((container) =>
      entriesAt(container, 'portMappings').flatMap(({ fields: { hostPort, containerPort, protocol } }) =>
        scalar(hostPort ?? containerPort).map((port) => `${port}/${(textOf(protocol) ?? 'TCP').toLowerCase()}`),
      ),
    ),
    cards: [...cards].map(([network, address]) => ({ network, address })),
    state: states.get(`${kind} ${name}`),
  };
}

function sizeOf(holder: Holder): string {
  const { cpu, memory } = entryAt(holder, 'resources').fields;
  return [...scalar(cpu).map((count) => `${count} CPU`), ...scalar(memory)].join(', ');
}

const scalar = (value: unknown): readonly string[] =>
  typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];

const runnerOf = ({ runner }: Lab): readonly TopologyMachine[] =>
  runner?.network === undefined
    ? []
    : [
        {
          kind: 'DeployRunner',
          name: 'deploy runner',
          detail: 'applies deploy roles',
          isStopped: false,
          ports: [],
          cards: [{ network: runner.network, address: runner.ipAddress }],
          state: undefined,
        },
      ];

/** Machines by their address, in their network and, for nameservers, anywhere. */
type Owners = ReadonlyMap<string, string>;

function ownersOf(machines: readonly TopologyMachine[]): Owners {
  const owners = new Map<string, string>();
  for (const { name, cards } of machines) {
    for (const { network, address } of cards) {
      const prefix = address === undefined ? undefined : parsePrefix(address);
      if (prefix === undefined) continue;
      const text = formatAddress(prefix.address);
      for (const key of [`${network} ${text}`, ` ${text}`]) if (!owners.has(key)) owners.set(key, name);
    }
  }
  return owners;
}

function ownerOf(text: string, owners: Owners, { name, gateway }: Network, isAnywhere: boolean): AddressOwner {
  const address = parseAddress(text);
  if (address === undefined) return { kind: 'nobody' };
  const owner = owners.get(`${isAnywhere ? '' : name} ${formatAddress(address)}`);
  if (owner !== undefined) return { kind: 'machine', name: owner };
  return gateway !== undefined && parseAddress(gateway)?.value === address.value ? { kind: 'gateway' } : { kind: 'nobody' };
}

const networkOf = (network: Network, owners: Owners, state: PartState | undefined): TopologyNetwork => ({
  name: network.name,
  cidr: network.cidr ?? '',
  isDefined: true,
  gateway: network.gateway,
  nameservers: network.nameservers.map(({ address }) => ({ address, owner: ownerOf(address, owners, network, true) })),
  routes: network.routes.map(({ destination = '', nextHop = '' }) => ({
    destination,
    nextHop,
    via: ownerOf(nextHop, owners, network, false),
  })),
  state,
});

const undefinedNetwork = (name: string): TopologyNetwork => ({
  name,
  cidr: 'not defined',
  isDefined: false,
  gateway: undefined,
  nameservers: [],
  routes: [],
  state: undefined,
});
