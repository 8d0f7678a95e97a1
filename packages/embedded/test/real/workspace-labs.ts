/** The labs of the suite about workspaces, and what is tried in their containers. */
import { readFileSync } from 'node:fs';
import type { WorkspaceSpec } from '@terrain/api';
import { shellImage } from '#real/oci/standard-images.ts';
import { appImage, tellName } from './workspace-images.ts';
import { seed } from './workspace-stand.ts';

/** One more cluster, which shares a network with each of the seed's: they share none with each other. */
const visitor: NonNullable<WorkspaceSpec['containerClusters']>[number] = {
  name: 'visitor',
  interfaces: [
    { network: 'bridge-inet', ipAddress: '4.29.163.8/28' },
    { network: 'control-net', ipAddress: '10.10.0.142/24' },
  ],
  containers: [{ name: 'visitor', image: shellImage, command: ['sh', '-c', tellName] }],
};
/** The clusters of the seed, and that one. */
export const withVisitor = { containerClusters: [...seed.spec.containerClusters!, visitor] };

/** A lab with a machine that runs, roles for it, and a volume with content. */
export const roles = (role: string): WorkspaceSpec => ({
  vms: [
    {
      name: 'router',
      backingVMDiskImage: 'demo-vmdi',
      resources: { cpu: '1', memory: '1Gi' },
      interfaces: [{ network: 'control-net', ipAddress: '10.10.0.161/24' }],
      ansible: { roles: { deploy: [{ role, variables: { depth: 3 } }] } },
    },
  ],
  networks: [{ name: 'control-net', cidr: '10.10.0.0/24' }],
  deployRunner: { network: 'control-net', ipAddress: '10.10.0.150/24' },
  contentImage: appImage,
  volumes: [{ name: 'config', size: '64Mi', localPath: '/demo-app-config' }],
  containerClusters: [
    {
      name: 'reader',
      containers: [
        {
          name: 'reader',
          image: shellImage,
          command: ['sh', '-c', tellName],
          volumeMounts: [{ name: 'config', containerPath: '/config' }],
        },
      ],
    },
  ],
});

/** Asks for a name: the nameserver of the container, or another. */
export const lookUp = (name: string, server = ''): string => `timeout 8 nslookup ${name} ${server}`;
/** Prints one line for each that lets itself be talked to. */
export const knock = (...doors: readonly string[]): string =>
  doors
    .map((door) => `timeout 4 nc -w 3 ${door} < /dev/null > /dev/null 2>&1 && echo ${door}`)
    .join('; ')
    .concat('; true');

/** The address the kernel gives an interface of its own accord, made of its hardware address. */
export function linkLocal(name: string): string {
  const bytes = readFileSync(`/sys/class/net/${name}/address`, 'utf8').trim().split(':');
  const head = (Number.parseInt(bytes[0]!, 16) ^ 2).toString(16).padStart(2, '0');
  return `fe80::${head}${bytes[1]}:${bytes[2]}ff:fe${bytes[3]}:${bytes[4]}${bytes[5]}`;
}
