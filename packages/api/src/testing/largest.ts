/**
 * The largest legal object of each kind: every list that has a documented bound is full, names, addresses and URLs are as long as
 * they may be, and every reference leads to the end of the list it is looked up in. Texts that no rule reads (environment, commands,
 * titles) stay short: full ones would exceed what an API server takes in one request, whatever the CRD says.
 */
import { bounds } from '#common/bounds.ts';
import { pelotechApiVersion, workshopApiVersion } from '#common/keys.ts';
import type { DataSync } from '#datasync/schema.ts';
import type { VirtualMachine, VirtualMachineSpec } from '#virtualmachine/schema.ts';
import type { VMDiskImage, VMDiskImageSpec } from '#vmdiskimage/schema.ts';
import { allowedCapabilities } from '#workspace/container.ts';
import type { Workspace, WorkspaceContainerCluster, WorkspaceNetwork, WorkspaceSpec, WorkspaceVM } from '#workspace/schema.ts';
import type { WorkspaceInstance } from '#workspaceinstance/schema.ts';
import { overridablePaths } from '#workspacetemplate/defaults.ts';
import type { InstanceSettings, WorkspaceTemplate } from '#workspacetemplate/schema.ts';

type Machine = Pick<
  VirtualMachineSpec,
  'users' | 'resources' | 'interfaces' | 'guestReadiness' | 'version' | 'baseVm' | 'baseVmVersion'
>;

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const name = (prefix: string, index = 0, length: number = bounds.nameLength): string => `${prefix}-${index}-`.padEnd(length, 'x');
const group = (index: number): string => index.toString(16).padStart(4, '0');
const networkName = (index: number): string => name('net', index);
/** 39 characters, and with a prefix length of three digits the 43 that are allowed. */
const ip = (network: number, host: number): string => `2001:0db8:0000:${group(network)}:0000:0000:0000:${group(host)}`;

const url = 'https://images.example.com/'.padEnd(bounds.urlLength, 'x');

const image: VMDiskImageSpec = {
  name: name('image'),
  sourceType: 'http',
  url,
  diskSize: `${'9'.repeat(18)}.5`,
  secretRef: name('secret'),
  storageClass: name('storage'),
  snapshotClass: name('snapshot'),
  certConfigMap: name('certificates'),
  checksum: `sha512:${'f'.repeat(128)}`,
  retain: true,
};

/** On the last networks, so that looking one up means passing all the others. */
const interfaces = (host: number): NonNullable<Machine['interfaces']> =>
  times(bounds.interfaces, (index) => {
    const network = bounds.networks - bounds.interfaces + index;
    return {
      network: networkName(network),
      ipAddress: `${ip(network, host)}/112`,
      macAddress: `02:00:5e:00:00:${group(index).slice(2)}`,
    };
  });

const machine = (host: number): Machine => ({
  version: name('version'),
  baseVm: name('base'),
  baseVmVersion: name('version'),
  users: times(bounds.users, (index) => ({
    name: name('user', index),
    passwordSecretRef: { name: name('password'), key: name('key') },
    lock_passwd: false,
    sudo: 'ALL=(ALL) NOPASSWD:ALL',
    groups: 'sudo',
    ssh_authorized_keys: ['ssh-ed25519 '.padEnd(80, 'A')],
  })),
  resources: { cpu: '1e3', memory: '1000Gi', diskSize: '1000Gi' },
  interfaces: interfaces(host),
  guestReadiness: { mode: 'Agent', port: 65535 },
});

const network = (index: number): WorkspaceNetwork => ({
  name: networkName(index),
  cidr: `${ip(index, 0)}/112`,
  nameservers: { addresses: times(8, (host) => ip(index, host + 1)) },
  rangeGateway: ip(index, 0xfffe),
  routes: times(bounds.routes, (hop) => ({
    destinationNetworkCidr: `${ip(hop + 100, 0)}/112`,
    nextHopIpAddress: ip(index, hop + 1),
  })),
});

const vm = (index: number): WorkspaceVM => ({
  name: name('vm', index),
  backingVMDiskImage: name('image', index),
  vmDiskImageTemplate: image,
  ...machine(index + 1),
  diskSize: '1000Gi',
  ansible: { roles: { deploy: [{ role: name('role'), variables: { nested: { deeply: [1, true, 'x'] } } }] } },
});

const containerCluster = (index: number): WorkspaceContainerCluster => ({
  name: name('cluster', index),
  interfaces: interfaces(index + 1 + bounds.vms),
  containers: times(bounds.containers, (container) => ({
    name: name('container', container),
    image: 'registry.example.com/'.padEnd(128, 'x'),
    resources: { cpu: '384m', memory: '2048Mi' },
    capabilities: { add: [...allowedCapabilities], drop: ['ALL'] },
    env: [{ name: 'DEBUG', value: 'true' }],
    volumeMounts: [{ name: name('volume', container), containerPath: '/config', readOnly: true }],
    portMappings: [{ containerPort: 53, protocol: 'udp', hostPort: 53 }],
  })),
});

const pullSecrets = (prefix: string) => times(bounds.pullSecrets, (index) => ({ name: name(prefix, index) }));

const lab: WorkspaceSpec = {
  vms: times(bounds.vms, vm),
  containerClusters: times(bounds.containerClusters, containerCluster),
  volumes: times(bounds.volumes, (index) => ({ name: name('volume', index), size: '1Gi', localPath: '/'.padEnd(128, 'x') })),
  networks: times(bounds.networks, network),
  contentImage: 'registry.example.com/content:1',
  deployRunner: { network: networkName(bounds.networks - 1), ipAddress: `${ip(bounds.networks - 1, 0xff00)}/112` },
  imagePullSecrets: pullSecrets('lab'),
};

const settings: InstanceSettings = {
  lifecycle: {
    mode: 'persistent',
    ttl: '999999h99999m9ms',
    maxTtl: '999999h999999h',
    idleSuspend: true,
    idleTimeout: '999999h',
    warnBefore: '999999s',
  },
  isolation: { mode: 'individual' },
  cluster: { mode: 'per-workspace', version: 'v1.36.3' },
  resources: { cpu: '500m', memory: '512Mi', enforce: true },
  access: { webTerminal: true, ports: times(32, (index) => ({ name: name('port', index), port: index + 1 })) },
  home: { size: '1000Gi' },
};

/** The largest legal object of each kind. */
export const largest = {
  VMDiskImage: {
    apiVersion: pelotechApiVersion,
    kind: 'VMDiskImage',
    metadata: { name: name('image') },
    spec: image,
  } satisfies VMDiskImage,
  DataSync: {
    apiVersion: pelotechApiVersion,
    kind: 'DataSync',
    metadata: { name: name('sync') },
    spec: {
      workspaceId: name('workspace'),
      version: name('version'),
      vms: times(bounds.dataSyncVms, (index) => {
        const { certConfigMap: _, retain: __, ...item } = image;
        return { ...item, name: name('vm', index) };
      }),
      defaults: { diskSize: '32Gi', checksum: `sha512:${'f'.repeat(128)}` },
    },
  } satisfies DataSync,
  VirtualMachine: {
    apiVersion: pelotechApiVersion,
    kind: 'VirtualMachine',
    metadata: { name: name('vm') },
    spec: {
      name: name('vm'),
      ...machine(1),
      vmDiskImageRef: { name: name('image'), namespace: name('images') },
      vmDiskImageTemplate: image,
    },
  } satisfies VirtualMachine,
  Workspace: {
    apiVersion: pelotechApiVersion,
    kind: 'Workspace',
    metadata: { name: name('lab', 0, 53) },
    spec: lab,
  } satisfies Workspace,
  WorkspaceTemplate: {
    apiVersion: workshopApiVersion,
    kind: 'WorkspaceTemplate',
    metadata: { name: name('template') },
    spec: {
      defaults: settings,
      overridable: [...overridablePaths],
      steps: times(bounds.steps, (index) => ({
        id: name('step', index),
        title: 'Title',
        imageTag: 'registry.example.com/'.padEnd(512, 'x'),
      })),
      imagePullSecrets: pullSecrets('steps'),
      workspace: lab,
    },
  } satisfies WorkspaceTemplate,
  WorkspaceInstance: {
    apiVersion: workshopApiVersion,
    kind: 'WorkspaceInstance',
    metadata: { name: name('instance') },
    spec: {
      templateRef: { name: name('template') },
      owner: name('owner', 0, 253),
      currentStep: name('step'),
      overrides: settings,
      resetToken: name('token', 0, 253),
    },
  } satisfies WorkspaceInstance,
} as const;
