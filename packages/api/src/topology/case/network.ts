import { type Case, write } from '../lab.example.ts';

/** Labs with networks that cannot work. */
export const networkCases: Record<string, Case> = {
  'two networks of one name': {
    given: ({ networks }) => write(networks[3]!, { name: 'dmz' }),
    want: ['spec.networks[3].name is "dmz", but spec.networks[1] has that name already; give every network a name of its own'],
  },
  'a network that is a word': {
    given: ({ networks }) => write(networks[3]!, { cidr: 'anything' }),
    want: [
      'spec.networks[3].cidr is "anything", but a network is written as its first address and its prefix length, such as 10.10.0.0/24',
    ],
  },
  'a network without prefix length': {
    given: ({ networks }) => write(networks[3]!, { cidr: '10.20.0.0' }),
    want: [
      'spec.networks[3].cidr is "10.20.0.0", but a network is written as its first address and its prefix length, such as 10.10.0.0/24',
    ],
  },
  'a network written as an address in it': {
    given: ({ networks }) => write(networks[3]!, { cidr: '10.20.0.1/16' }),
    want: [
      'spec.networks[3].cidr is "10.20.0.1/16", but that is an address inside the network, not its first; write 10.20.0.0/16',
    ],
  },
  'a network with room for nobody': {
    given: ({ networks }) => write(networks[3]!, { cidr: '10.20.0.0/31' }),
    want: [
      'spec.networks[3].cidr is "10.20.0.0/31", but that leaves no room for two machines; use a prefix length of at most 30',
    ],
  },
  'an IPv6 network with room for nobody': {
    given: ({ networks }) => write(networks[3]!, { cidr: '2001:db8:1::/127' }),
    want: [
      'spec.networks[3].cidr is "2001:db8:1::/127", but that leaves no room for two machines; use a prefix length of at most 126',
    ],
  },
  'a loopback network': {
    given: ({ networks }) => write(networks[3]!, { cidr: '127.1.0.0/16' }),
    want: [
      'spec.networks[3].cidr is "127.1.0.0/16", but it overlaps 127.0.0.0/8 (loopback), which machines cannot use; choose another range',
    ],
  },
  'a multicast network': {
    given: ({ networks }) => write(networks[3]!, { cidr: '239.0.0.0/24' }),
    want: [
      'spec.networks[3].cidr is "239.0.0.0/24", but it overlaps 224.0.0.0/4 (multicast), which machines cannot use; choose another range',
    ],
  },
  'a link-local IPv6 network': {
    given: ({ networks }) => write(networks[3]!, { cidr: 'fe80::/64' }),
    want: [
      'spec.networks[3].cidr is "fe80::/64", but it overlaps fe80::/10 (link-local), which machines cannot use; choose another range',
    ],
  },
  'a network inside another': {
    given: ({ networks }) => write(networks[3]!, { cidr: '10.10.0.128/25' }),
    want: [
      'spec.networks[3].cidr is "10.10.0.128/25", but it overlaps network lan (10.10.0.0/24); give each network a range of its own',
    ],
  },
  'a network around others': {
    given: ({ networks }) => write(networks[3]!, { cidr: '10.8.0.0/13' }),
    want: [
      'spec.networks[3].cidr is "10.8.0.0/13", but it overlaps network lan (10.10.0.0/24); give each network a range of its own',
    ],
  },
  'the same range twice': {
    given: ({ networks }) => write(networks[3]!, { cidr: '2001:db8::/64' }),
    want: [
      'spec.networks[3].cidr is "2001:db8::/64", but it overlaps network six (2001:db8::/64); give each network a range of its own',
    ],
  },
  'a network inside the range of pods': {
    given: ({ networks }) => write(networks[3]!, { cidr: '10.244.7.0/24' }),
    want: [
      'spec.networks[3].cidr is "10.244.7.0/24", but it overlaps the range of the cluster\'s pods (10.244.0.0/16), which containers would no longer reach; choose another range',
    ],
  },
  'a network around the range of Services': {
    given: ({ networks }) => write(networks[3]!, { cidr: '10.96.0.0/12' }),
    want: [
      'spec.networks[3].cidr is "10.96.0.0/12", but it overlaps the range of the cluster\'s Services (10.96.0.0/16), which containers would no longer reach; choose another range',
    ],
  },
  'an IPv6 network inside the second range of pods': {
    given: ({ networks }) => write(networks[3]!, { cidr: 'fd00:10:244:1::/64' }),
    want: [
      'spec.networks[3].cidr is "fd00:10:244:1::/64", but it overlaps the range of the cluster\'s pods (fd00:10:244::/56), which containers would no longer reach; choose another range',
    ],
  },
  'a gateway with prefix length': {
    given: ({ networks }) => write(networks[3]!, { rangeGateway: '10.20.0.1/16' }),
    want: [
      'spec.networks[3].rangeGateway is "10.20.0.1/16", but an IP address without prefix length is needed, such as 10.10.0.1',
    ],
  },
  'a gateway outside its network': {
    given: ({ networks }) => write(networks[3]!, { rangeGateway: '10.21.0.1' }),
    want: [
      'spec.networks[3].rangeGateway is "10.21.0.1", but it is not inside network unused (10.20.0.0/16); correct the address or the cidr',
    ],
  },
  'a gateway of another family': {
    given: ({ networks }) => write(networks[3]!, { rangeGateway: '2001:db8::1' }),
    want: [
      'spec.networks[3].rangeGateway is "2001:db8::1", but network unused (10.20.0.0/16) is IPv4; choose an IPv4 address inside it',
    ],
  },
  'a gateway on the first address': {
    given: ({ networks }) => write(networks[3]!, { rangeGateway: '10.20.0.0' }),
    want: [
      'spec.networks[3].rangeGateway is "10.20.0.0", but that is the first address of network unused (10.20.0.0/16), which stands for the network itself; choose one of 10.20.0.1 to 10.20.255.254',
    ],
  },
  'a gateway on the last address': {
    given: ({ networks }) => write(networks[3]!, { rangeGateway: '10.20.255.255' }),
    want: [
      'spec.networks[3].rangeGateway is "10.20.255.255", but that is the last address of network unused (10.20.0.0/16), which stands for all machines in it; choose one of 10.20.0.1 to 10.20.255.254',
    ],
  },
  'a nameserver by name': {
    given: ({ networks }) => write(networks[3]!, { nameservers: { addresses: ['10.20.0.1', 'dns.example.com'] } }),
    want: [
      'spec.networks[3].nameservers.addresses[1] is "dns.example.com", but an IP address without prefix length is needed, such as 10.10.0.1',
    ],
  },
};
