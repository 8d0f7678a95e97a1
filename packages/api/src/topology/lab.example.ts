/** A lab for tests of the rules, and the cluster around it. */
import type { WorkspaceSpec } from '#workspace/schema.ts';
import type { TopologyOptions } from './network-rules.ts';

/** A lab with one of everything, and nothing wrong with it. */
export const exampleLab = {
  vms: [
    {
      name: 'router',
      backingVMDiskImage: 'router-image',
      resources: { cpu: '1', memory: '1Gi' } as { cpu: string; memory: string; diskSize?: string },
      interfaces: [
        { network: 'lan', ipAddress: '10.10.0.1/24', macAddress: '02:00:5e:10:00:01' },
        { network: 'dmz', ipAddress: '172.16.0.1/28', macAddress: '02:00:5e:10:00:02' },
        { network: 'six', ipAddress: '2001:db8::1/64', macAddress: '02:00:5e:10:00:03' },
      ],
      ansible: { roles: { deploy: [{ role: 'router' }] } },
    },
    {
      name: 'web',
      backingVMDiskImage: 'web-image',
      resources: { cpu: '1', memory: '1Gi' },
      interfaces: [{ network: 'dmz', ipAddress: '172.16.0.2/28', macAddress: '02:00:5e:10:00:04' }],
    },
  ],
  containerClusters: [
    {
      name: 'dns',
      interfaces: [{ network: 'lan', ipAddress: '10.10.0.53/24' }],
      containers: [
        {
          name: 'bind',
          image: 'bind:9',
          env: [{ name: 'DEBUG', value: 'true' }],
          volumeMounts: [{ name: 'zones', containerPath: '/zones' }],
          portMappings: [{ containerPort: 53, protocol: 'udp', hostPort: 53 }],
          capabilities: { add: ['NET_BIND_SERVICE'] },
        },
        { name: 'metrics', image: 'metrics:1', portMappings: [{ containerPort: 9100 }] },
      ],
    },
  ],
  volumes: [{ name: 'zones', size: '1Gi', localPath: '/zones' }],
  networks: [
    {
      name: 'lan',
      cidr: '10.10.0.0/24',
      nameservers: { addresses: ['10.10.0.53'] },
      rangeGateway: '10.10.0.254',
      routes: [
        { destinationNetworkCidr: '0.0.0.0/0', nextHopIpAddress: '10.10.0.254' },
        { destinationNetworkCidr: '172.16.0.0/28', nextHopIpAddress: '10.10.0.1' },
      ],
    },
    { name: 'dmz', cidr: '172.16.0.0/28' },
    { name: 'six', cidr: '2001:db8::/64' },
    { name: 'unused', cidr: '10.20.0.0/16' },
  ],
  deployRunner: { network: 'lan', ipAddress: '10.10.0.5/24' },
} satisfies WorkspaceSpec;

/** The example, for changes to it. */
export type ExampleLab = typeof exampleLab;
/** A change to the example, and every problem it makes. */
export type Case = { given: (lab: ExampleLab) => unknown; want: string[] };

/** The embedded cluster's, and an IPv6 one. */
export const labClusterRanges: TopologyOptions = {
  podRanges: ['10.244.0.0/16', 'fd00:10:244::/56'],
  serviceRanges: ['10.96.0.0/16'],
};

/** Fields that a person may leave out, or write differently than the base does. */
export const write = (target: object, change: object): void => void Object.assign(target, change);
