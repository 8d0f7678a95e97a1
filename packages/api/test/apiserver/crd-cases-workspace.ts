import { imageCases, imageSource } from './crd-cases-image.ts';
import { interfaceCases, machine, machineCases } from './crd-cases-machine.ts';
import { casesBelow, quantityCase, type RuleCases } from './crd-rule-case.ts';

/** A lab with every field the rules look at. */
export const lab = {
  vms: [{ name: 'router', backingVMDiskImage: 'router-image', ...machine, vmDiskImageTemplate: imageSource }],
  containerClusters: [
    {
      name: 'dns',
      interfaces: [{ network: 'control-net', ipAddress: '10.10.0.141/24' }],
      containers: [
        {
          name: 'dns',
          image: 'registry.example.com/dns:1.0.2',
          resources: { cpu: '128m', memory: '256Mi' },
          capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
        },
      ],
    },
  ],
  volumes: [{ name: 'config', size: '1Gi', localPath: '/config' }],
  networks: [
    { name: 'other-net', cidr: '10.20.0.0/24' },
    {
      name: 'control-net',
      cidr: '10.10.0.0/24',
      nameservers: { addresses: ['10.10.0.141'] },
      rangeGateway: '10.10.0.254',
      routes: [{ destinationNetworkCidr: '0.0.0.0/0', nextHopIpAddress: '10.10.0.254' }],
    },
  ],
  deployRunner: { network: 'control-net', ipAddress: '10.10.0.5/24' },
};

const networkShape: RuleCases = {
  'a network without prefix length': {
    rule: 'cidr must be a network in CIDR notation, such as 10.10.0.0/24',
    field: 'networks[1].cidr',
    refused: { 'networks[1].cidr': '10.10.0.0' },
    accepted: { 'networks[1].cidr': '10.10.0.0/16' },
  },
  'a gateway with prefix length': {
    rule: 'rangeGateway must be an IP address without prefix length, such as 10.10.0.1',
    field: 'networks[1].rangeGateway',
    refused: { 'networks[1].rangeGateway': '10.10.0.254/24' },
    accepted: { 'networks[1].rangeGateway': '10.10.0.1' },
  },
  'a gateway outside its network': {
    rule: 'rangeGateway is not inside the cidr of its network; correct one of the two',
    field: 'networks[1].rangeGateway',
    refused: { 'networks[1].rangeGateway': '10.10.1.254' },
    accepted: { 'networks[1].rangeGateway': undefined },
  },
  'a nameserver by name': {
    rule: 'nameservers.addresses must be an IP address without prefix length, such as 10.10.0.1',
    field: 'networks[1].nameservers.addresses[0]',
    refused: { 'networks[1].nameservers.addresses': ['dns.example.com'] },
    accepted: { 'networks[1].nameservers.addresses': ['2001:db8::53'] },
  },
  'a route to an address': {
    rule: 'destinationNetworkCidr must be a network in CIDR notation, such as 10.10.0.0/24',
    field: 'networks[1].routes[0].destinationNetworkCidr',
    refused: { 'networks[1].routes[0].destinationNetworkCidr': 'default' },
    accepted: { 'networks[1].routes[0].destinationNetworkCidr': '::/0' },
  },
  'a next hop with prefix length': {
    rule: 'nextHopIpAddress must be an IP address without prefix length, such as 10.10.0.1',
    field: 'networks[1].routes[0].nextHopIpAddress',
    refused: { 'networks[1].routes[0].nextHopIpAddress': '10.10.0.254/24' },
    accepted: { 'networks[1].routes[0].nextHopIpAddress': '10.10.0.253' },
  },
};

const topology: RuleCases = {
  'a machine on a network that is not defined': {
    rule: 'vms: an interface names a network that is not defined; add it to networks, or correct the name',
    words: 'an interface of ["router"] names a network that is not defined; add it to networks, or correct the name',
    field: 'vms',
    refused: { 'vms[0].interfaces[0].network': 'lan' },
    accepted: { 'vms[0].interfaces': [{ network: 'other-net', ipAddress: '10.20.0.161/24' }] },
  },
  'a container cluster on a network that is not defined': {
    rule: 'containerClusters: an interface names a network that is not defined; add it to networks, or correct the name',
    words: 'an interface of ["dns"] names a network that is not defined; add it to networks, or correct the name',
    field: 'containerClusters',
    refused: { 'containerClusters[0].interfaces[0].network': 'lan' },
    accepted: { 'containerClusters[0].interfaces': undefined },
  },
  'a machine with an address of another network': {
    rule: 'vms: an ipAddress is not inside the cidr of its network; correct the address or the cidr',
    words: 'an ipAddress of ["router"] is not inside the cidr of its network; correct the address or the cidr',
    field: 'vms',
    refused: { 'vms[0].interfaces[0].ipAddress': '10.10.1.161/24' },
    accepted: { 'vms[0].interfaces[0].ipAddress': '10.10.0.254/24' },
  },
  'a container cluster with an address of another network': {
    rule: 'containerClusters: an ipAddress is not inside the cidr of its network; correct the address or the cidr',
    words: 'an ipAddress of ["dns"] is not inside the cidr of its network; correct the address or the cidr',
    field: 'containerClusters',
    refused: { 'containerClusters[0].interfaces[0].ipAddress': '10.20.0.141/24' },
    accepted: { 'containerClusters[0].interfaces': [{ network: 'other-net', ipAddress: '10.20.0.141/24' }] },
  },
  'a runner on a network that is not defined': {
    rule: 'deployRunner.network is not defined; add it to networks, or correct the name',
    field: 'deployRunner',
    refused: { 'deployRunner.network': 'lan' },
    accepted: { deployRunner: undefined },
  },
  'a runner with an address of another network': {
    rule: 'deployRunner.ipAddress is not inside the cidr of its network; correct the address or the cidr',
    field: 'deployRunner',
    refused: { 'deployRunner.ipAddress': '10.20.0.5/24' },
    accepted: { deployRunner: { network: 'other-net', ipAddress: '10.20.0.5/24' } },
  },
  'a runner without prefix length': {
    rule: 'deployRunner.ipAddress must be an IP address with its prefix length, such as 10.10.0.161/24',
    field: 'deployRunner.ipAddress',
    refused: { 'deployRunner.ipAddress': '10.10.0.5' },
    accepted: { 'deployRunner.ipAddress': '10.10.0.6/24' },
  },
};

const path = 'localPath must be an absolute path without .. in it: a directory inside contentImage, such as /config';

const notHarmless =
  'may not be added, because they reach beyond the container; allowed are AUDIT_WRITE, CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, MKNOD, NET_BIND_SERVICE, SETFCAP, SETGID, SETPCAP, SETUID, SYS_CHROOT';

const parts: RuleCases = {
  'two sizes for one disk': {
    rule: 'diskSize and resources.diskSize mean the same but differ; keep one of them',
    field: 'vms[0].diskSize',
    refused: { 'vms[0].diskSize': '20Gi' },
    accepted: { 'vms[0].diskSize': '18432Mi' },
  },
  'a capability over the node': {
    rule: `these capabilities ${notHarmless}`,
    words: `["SYS_ADMIN"] ${notHarmless}`,
    field: 'containerClusters[0].containers[0].capabilities.add',
    refused: { 'containerClusters[0].containers[0].capabilities.add': ['KILL', 'SYS_ADMIN'] },
    accepted: { 'containerClusters[0].containers[0].capabilities.add': ['KILL', 'NET_BIND_SERVICE'] },
  },
  'a relative path': {
    rule: path,
    field: 'volumes[0].localPath',
    refused: { 'volumes[0].localPath': 'config' },
    accepted: { 'volumes[0].localPath': '/' },
  },
  'a path that climbs': {
    rule: path,
    field: 'volumes[0].localPath',
    refused: { 'volumes[0].localPath': '/config/../..' },
    accepted: { 'volumes[0].localPath': '/config/..data' },
  },
  ...quantityCase('volumes[0].size', 'size'),
  ...casesBelow('containerClusters[0].containers[0]', {
    ...quantityCase('resources.cpu'),
    ...quantityCase('resources.memory'),
  }),
};

/** The top-level size means the same as the one in resources, so they are tried one at a time. */
const diskSize: RuleCases = Object.fromEntries(
  Object.entries(casesBelow('vms[0]', quantityCase('diskSize'))).map(([name, one]) => [
    name,
    {
      ...one,
      refused: { 'vms[0].resources.diskSize': undefined, ...one.refused },
      accepted: { 'vms[0].resources.diskSize': undefined, ...one.accepted },
    },
  ]),
);

/** Rules of a lab: a Workspace, or the lab of a template. */
export const labCases: RuleCases = {
  ...networkShape,
  ...topology,
  ...parts,
  ...diskSize,
  ...casesBelow('vms[0]', machineCases),
  ...casesBelow('vms[0].vmDiskImageTemplate', imageCases),
  ...casesBelow('containerClusters[0]', interfaceCases),
};
