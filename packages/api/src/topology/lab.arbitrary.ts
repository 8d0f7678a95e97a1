/** Labs for property tests: valid ones, ones of any content in the right shape, and large ones. */
import fc from 'fast-check';
import type { WorkspaceContainerCluster, WorkspaceNetwork, WorkspaceSpec, WorkspaceVM } from '#workspace/schema.ts';

type Cards = NonNullable<WorkspaceVM['interfaces']>;

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Network number `index`, and its address number `host`, counted from 1; the last usable one is its gateway. */
type Plan = { readonly network: WorkspaceNetwork; readonly address: (host: number) => string };

function planV4(index: number, length: number): Plan {
  const [second, third] = [Math.floor(index / 200) + 16, index % 200];
  const at = (host: number): string => `172.${second}.${third}.${host}`;
  const gateway = at(2 ** (32 - length) - 2);
  return {
    network: {
      name: `net-${index}`,
      cidr: `${at(0)}/${length}`,
      rangeGateway: gateway,
      nameservers: { addresses: [at(1), '9.9.9.9'] },
      routes: [
        { destinationNetworkCidr: '0.0.0.0/0', nextHopIpAddress: gateway },
        { destinationNetworkCidr: '192.168.0.0/16', nextHopIpAddress: at(2) },
      ],
    },
    address: (host) => `${at(host)}/${length}`,
  };
}

function planV6(index: number, length: number): Plan {
  const at = (host: number): string => `2001:db8:${index.toString(16)}::${host.toString(16)}`;
  return {
    network: {
      name: `net-${index}`,
      cidr: `${at(0)}/${length}`,
      routes: [{ destinationNetworkCidr: '::/0', nextHopIpAddress: at(1) }],
    },
    address: (host) => `${at(host)}/${length}`,
  };
}

/** Gives every card the next free address of its network. */
function allot(plans: readonly Plan[]): (networks: readonly number[]) => Cards {
  const used = plans.map(() => 0);
  return (networks) =>
    [...new Set(networks)]
      .filter((index) => index < plans.length)
      .map((index) => {
        used[index] = used[index]! + 1;
        return { network: plans[index]!.network.name, ipAddress: plans[index]!.address(used[index]!) };
      });
}

const vm = (index: number, interfaces: Cards): WorkspaceVM => ({
  name: `vm-${index}`,
  backingVMDiskImage: `image-${index % 4}`,
  resources: { cpu: 1, memory: '1Gi', diskSize: '18432Mi' },
  diskSize: '18Gi',
  interfaces,
});

const cluster = (index: number, interfaces: Cards): WorkspaceContainerCluster => ({
  name: `cluster-${index}`,
  interfaces,
  containers: times(3, (container) => ({
    name: `container-${container}`,
    image: 'registry.example.com/app:1',
    volumeMounts: [{ name: `volume-${container}`, containerPath: `/data-${container}` }],
    portMappings: [{ containerPort: 8000 + container, protocol: 'tcp', hostPort: 80 + container }],
  })),
});

const cards = fc.uniqueArray(fc.integer({ min: 0, max: 19 }), { maxLength: 8 });

/** Labs that have no problem: up to 20 networks of both families, up to 32 machines and 32 container clusters on them. */
export const validLab: fc.Arbitrary<WorkspaceSpec> = fc
  .record({
    networks: fc.array(fc.record({ isV6: fc.boolean(), length: fc.integer({ min: 24, max: 25 }) }), { maxLength: 20 }),
    vms: fc.array(cards, { maxLength: 32 }),
    clusters: fc.array(cards, { maxLength: 32 }),
    runner: fc.boolean(),
  })
  .map(({ networks, vms, clusters, runner }) => {
    const plans = networks.map(({ isV6, length }, index) => (isV6 ? planV6(index, 2 * length) : planV4(index, length)));
    const allotted = allot(plans);
    const [place] = runner ? allotted([0]) : [];
    return {
      networks: plans.map(({ network }) => network),
      vms: vms.map((list, index) => vm(index, allotted(list))),
      containerClusters: clusters.map((list, index) => cluster(index, allotted(list))),
      volumes: times(3, (index) => ({ name: `volume-${index}`, size: '1Gi', localPath: `/content/${index}` })),
      ...(place?.ipAddress === undefined ? {} : { deployRunner: { network: place.network, ipAddress: place.ipAddress } }),
    };
  });

const word = fc.constantFrom('a', 'b', 'lan', '', 'constructor', '__proto__');
const address = fc.oneof(
  fc.constantFrom('10.0.0.0/24', '10.0.0.1/24', '10.0.0.255/24', '10.0.0.1', '::/0', '0.0.0.0/0', '2001:db8::1/64', '/', ''),
  fc.ipV4(),
  fc.ipV6(),
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 40 })).map(([ip, length]) => `${ip}/${length}`),
  fc.string(),
);
const card = fc.record({ network: word, ipAddress: address, macAddress: fc.string() }, { requiredKeys: [] });
const whatever = fc.option(fc.anything());
const listOf = (item: fc.Arbitrary<unknown>) => fc.array(fc.oneof({ weight: 9, arbitrary: item }, whatever), { maxLength: 4 });
const port = fc.record({ containerPort: fc.integer(), hostPort: fc.integer(), protocol: word }, { requiredKeys: [] });
const container = fc.record(
  {
    name: word,
    env: listOf(fc.record({ name: word })),
    volumeMounts: listOf(fc.record({ name: word, containerPath: fc.string() })),
    portMappings: listOf(port),
    capabilities: fc.record({ add: listOf(fc.string()) }),
  },
  { requiredKeys: [] },
);
const network = fc.record(
  {
    name: word,
    cidr: address,
    rangeGateway: address,
    nameservers: fc.record({ addresses: listOf(address) }),
    routes: listOf(fc.record({ destinationNetworkCidr: address, nextHopIpAddress: address }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);
const machine = fc.record(
  {
    name: word,
    interfaces: listOf(card),
    diskSize: whatever,
    resources: fc.record({ diskSize: whatever }),
    backingVMDiskImage: word,
    vmDiskImageTemplate: fc.oneof(whatever, fc.record({ sourceType: fc.constantFrom('http', 'blank'), url: fc.string() })),
    guestReadiness: fc.record({ mode: fc.constantFrom('TCP', 'Agent'), port: whatever }, { requiredKeys: [] }),
    ansible: fc.record({ roles: fc.record({ deploy: listOf(whatever) }) }),
  },
  { requiredKeys: [] },
);

/** Labs in the shape of one, with any content, much of it wrong. */
export const anyLab = fc.record(
  {
    networks: listOf(network),
    vms: listOf(machine),
    containerClusters: listOf(fc.record({ name: word, interfaces: listOf(card), containers: listOf(container) })),
    volumes: listOf(fc.record({ name: word, localPath: fc.string() })),
    deployRunner: card,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<WorkspaceSpec>;

/** A valid lab `scale` times as large as one may be: 20 networks, 32 machines with 8 cards each, 32 container clusters with 8. */
export function labOf(scale: number): WorkspaceSpec {
  const plans = times(20 * scale, (index) => planV4(index, 24));
  const allotted = allot(plans);
  const places = (index: number): number[] => times(8, (place) => (index + 3 * place) % plans.length);
  return {
    networks: plans.map(({ network: one }) => one),
    vms: times(32 * scale, (index) => vm(index, allotted(places(index)))),
    containerClusters: times(32 * scale, (index) => cluster(index, allotted(places(index)))),
    volumes: times(3, (index) => ({ name: `volume-${index}`, size: '1Gi' })),
  };
}
