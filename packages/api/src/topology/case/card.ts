import { type Case, write } from '../lab.example.ts';

/** Labs with a network card that cannot work. */
export const cardCases: Record<string, Case> = {
  'a machine on a network that is not there': {
    given: ({ vms }) => write(vms[1]!.interfaces[0]!, { network: 'internet' }),
    want: [
      'spec.vms[1].interfaces[0].network is "internet", but there is no network of that name; add it to spec.networks, or name one that is there',
    ],
  },
  'a container cluster on a network with a typing mistake': {
    given: ({ containerClusters }) => write(containerClusters[0]!.interfaces[0]!, { network: 'lam' }),
    want: ['spec.containerClusters[0].interfaces[0].network is "lam", but there is no network of that name; did you mean lan?'],
  },
  'two cards on one network': {
    given: ({ vms }) => vms[1]!.interfaces.push({ network: 'dmz', ipAddress: '172.16.0.3/28', macAddress: '02:00:5e:10:00:05' }),
    want: [
      'spec.vms[1].interfaces[1].network is "dmz", but spec.vms[1].interfaces[0] is on that network already; keep one of the two',
    ],
  },
  'an address that is none': {
    given: ({ vms }) => write(vms[1]!.interfaces[0]!, { ipAddress: '172.16.0.300/28' }),
    want: [
      'spec.vms[1].interfaces[0].ipAddress is "172.16.0.300/28", but an IP address with its prefix length is needed, such as 10.10.0.161/24',
    ],
  },
  'an address without prefix length': {
    given: ({ vms }) => write(vms[1]!.interfaces[0]!, { ipAddress: '172.16.0.2' }),
    want: ['spec.vms[1].interfaces[0].ipAddress is "172.16.0.2", but its prefix length is missing; write 172.16.0.2/28'],
  },
  'an address with the prefix length of another network': {
    given: ({ vms }) => write(vms[1]!.interfaces[0]!, { ipAddress: '172.16.0.2/24' }),
    want: ['spec.vms[1].interfaces[0].ipAddress is "172.16.0.2/24", but network dmz has prefix length 28; write 172.16.0.2/28'],
  },
  'an address outside its network': {
    given: ({ vms }) => write(vms[1]!.interfaces[0]!, { ipAddress: '172.16.1.2/28' }),
    want: [
      'spec.vms[1].interfaces[0].ipAddress is "172.16.1.2/28", but it is not inside network dmz (172.16.0.0/28); correct the address or the cidr',
    ],
  },
  'an IPv4 address in an IPv6 network': {
    given: ({ vms }) => write(vms[0]!.interfaces[2]!, { ipAddress: '10.30.0.1/24' }),
    want: [
      'spec.vms[0].interfaces[2].ipAddress is "10.30.0.1/24", but network six (2001:db8::/64) is IPv6; choose an IPv6 address inside it',
    ],
  },
  'the first address of an IPv6 network': {
    given: ({ vms }) => write(vms[0]!.interfaces[2]!, { ipAddress: '2001:db8::/64' }),
    want: [
      'spec.vms[0].interfaces[2].ipAddress is "2001:db8::/64", but that is the first address of network six (2001:db8::/64), which stands for the network itself; choose one of 2001:db8::1 to 2001:db8::ffff:ffff:ffff:ffff',
    ],
  },
  'the first address of a network': {
    given: ({ vms }) => write(vms[1]!.interfaces[0]!, { ipAddress: '172.16.0.0/28' }),
    want: [
      'spec.vms[1].interfaces[0].ipAddress is "172.16.0.0/28", but that is the first address of network dmz (172.16.0.0/28), which stands for the network itself; choose one of 172.16.0.1 to 172.16.0.14',
    ],
  },
  'the broadcast address of a network': {
    given: ({ containerClusters }) => write(containerClusters[0]!.interfaces[0]!, { ipAddress: '10.10.0.255/24' }),
    want: [
      'spec.containerClusters[0].interfaces[0].ipAddress is "10.10.0.255/24", but that is the last address of network lan (10.10.0.0/24), which stands for all machines in it; choose one of 10.10.0.1 to 10.10.0.254',
    ],
  },
  'the address of the gateway': {
    given: ({ containerClusters }) => write(containerClusters[0]!.interfaces[0]!, { ipAddress: '10.10.0.254/24' }),
    want: [
      'spec.containerClusters[0].interfaces[0].ipAddress is "10.10.0.254/24", but network lan reserves that address as its rangeGateway; choose another one',
    ],
  },
  'two machines with one address': {
    given: ({ vms }) => write(vms[1]!.interfaces[0]!, { ipAddress: '172.16.0.1/28' }),
    want: [
      'spec.vms[1].interfaces[0].ipAddress is "172.16.0.1/28", but spec.vms[0].interfaces[1] has that address already; give each card its own',
    ],
  },
  'a container cluster with the address of a machine': {
    given: ({ containerClusters }) => write(containerClusters[0]!.interfaces[0]!, { ipAddress: '10.10.0.1/24' }),
    want: [
      'spec.containerClusters[0].interfaces[0].ipAddress is "10.10.0.1/24", but spec.vms[0].interfaces[0] has that address already; give each card its own',
    ],
  },
  'one IPv6 address in two spellings': {
    given: ({ vms }) =>
      vms[1]!.interfaces.push({ network: 'six', ipAddress: '2001:0DB8:0::1/64', macAddress: '02:00:5e:10:00:06' }),
    want: [
      'spec.vms[1].interfaces[1].ipAddress is "2001:0DB8:0::1/64", but spec.vms[0].interfaces[2] has that address already; give each card its own',
    ],
  },
  'one hardware address twice in a network': {
    given: ({ vms }) => write(vms[1]!.interfaces[0]!, { macAddress: '02:00:5E:10:00:02' }),
    want: [
      'spec.vms[1].interfaces[0].macAddress is "02:00:5E:10:00:02", but spec.vms[0].interfaces[1] has it on network dmz already; give each card its own, or leave it out',
    ],
  },
  'one hardware address twice in a machine': {
    given: ({ vms }) => write(vms[0]!.interfaces[1]!, { macAddress: '02:00:5e:10:00:01' }),
    want: [
      'spec.vms[0].interfaces[1].macAddress is "02:00:5e:10:00:01", but spec.vms[0].interfaces[0] has it already; give each card its own, or leave it out',
    ],
  },
  'a hardware address of nothing but zeros': {
    given: ({ vms }) => write(vms[0]!.interfaces[1]!, { macAddress: '00:00:00:00:00:00' }),
    want: [
      'spec.vms[0].interfaces[1].macAddress is "00:00:00:00:00:00", but no card can have that address; choose another one, or leave it out',
    ],
  },
  'a hardware address with dashes': {
    given: ({ vms }) => write(vms[0]!.interfaces[1]!, { macAddress: '02-00-5e-10-00-01' }),
    want: [
      'spec.vms[0].interfaces[1].macAddress is "02-00-5e-10-00-01", but six pairs of hexadecimal digits are needed, such as 02:00:5e:10:00:01',
    ],
  },
  'a runner on a network that is not there': {
    given: ({ deployRunner }) => write(deployRunner, { network: 'control' }),
    want: [
      'spec.deployRunner.network is "control", but there is no network of that name; add it to spec.networks, or name one that is there',
    ],
  },
  'a runner outside its network': {
    given: ({ deployRunner }) => write(deployRunner, { ipAddress: '10.11.0.5/24' }),
    want: [
      'spec.deployRunner.ipAddress is "10.11.0.5/24", but it is not inside network lan (10.10.0.0/24); correct the address or the cidr',
    ],
  },
  'a runner with the address of a machine': {
    given: ({ deployRunner }) => write(deployRunner, { ipAddress: '10.10.0.1/24' }),
    want: [
      'spec.deployRunner.ipAddress is "10.10.0.1/24", but spec.vms[0].interfaces[0] has that address already; give each card its own',
    ],
  },
  'a runner that reaches no machine': {
    given: ({ deployRunner }) => write(deployRunner, { network: 'unused', ipAddress: '10.20.0.5/16' }),
    want: [
      'spec.vms[0].ansible.roles.deploy is [{"role":"router"}], but the deployRunner is on network unused, where router has no address, and no route of that network leads to one of its addresses; give router an address there, or move the deployRunner',
    ],
  },
};
