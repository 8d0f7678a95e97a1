import { type Case, write } from '../lab.example.ts';

const routeTo = (destinationNetworkCidr: string, nextHopIpAddress = '10.20.0.1') => ({
  routes: [{ destinationNetworkCidr, nextHopIpAddress }],
});

/** Labs with a route that leads nowhere. */
export const routeCases: Record<string, Case> = {
  'a route to a word': {
    given: ({ networks }) => write(networks[3]!, routeTo('default')),
    want: [
      'spec.networks[3].routes[0].destinationNetworkCidr is "default", but a network is written as its first address and its prefix length, such as 10.10.0.0/24',
    ],
  },
  'a route to an address in a network': {
    given: ({ networks }) => write(networks[3]!, routeTo('192.168.7.1/24')),
    want: [
      'spec.networks[3].routes[0].destinationNetworkCidr is "192.168.7.1/24", but that is an address inside a network, not its first; write 192.168.7.0/24',
    ],
  },
  'a route to another family': {
    given: ({ networks }) => write(networks[3]!, routeTo('::/0')),
    want: [
      'spec.networks[3].routes[0].destinationNetworkCidr is "::/0", but network unused (10.20.0.0/16) is IPv4; write an IPv4 destination, or remove the route',
    ],
  },
  'a route to the network itself': {
    given: ({ networks }) => write(networks[3]!, routeTo('10.20.0.0/16')),
    want: [
      'spec.networks[3].routes[0].destinationNetworkCidr is "10.20.0.0/16", but that is network unused itself, which needs no route; remove it',
    ],
  },
  'two routes to one destination': {
    given: ({ networks }) =>
      write(networks[3]!, { routes: [...routeTo('0.0.0.0/0').routes, ...routeTo('0.0.0.0/0', '10.20.0.2').routes] }),
    want: [
      'spec.networks[3].routes[1].destinationNetworkCidr is "0.0.0.0/0", but spec.networks[3].routes[0] leads there already, and only one route of network unused can; remove one of them',
    ],
  },
  'a next hop with prefix length': {
    given: ({ networks }) => write(networks[3]!, routeTo('0.0.0.0/0', '10.20.0.1/16')),
    want: [
      'spec.networks[3].routes[0].nextHopIpAddress is "10.20.0.1/16", but an IP address without prefix length is needed, such as 10.10.0.1',
    ],
  },
  'a next hop out of reach': {
    given: ({ networks }) => write(networks[3]!, routeTo('0.0.0.0/0', '10.10.0.1')),
    want: [
      'spec.networks[3].routes[0].nextHopIpAddress is "10.10.0.1", but from network unused (10.20.0.0/16) an address outside it cannot be reached; name the address inside it that leads there',
    ],
  },
  'a next hop of another family': {
    given: ({ networks }) => write(networks[3]!, routeTo('0.0.0.0/0', '2001:db8::1')),
    want: [
      'spec.networks[3].routes[0].nextHopIpAddress is "2001:db8::1", but network unused (10.20.0.0/16) is IPv4; choose an IPv4 address inside it',
    ],
  },
  'a next hop that is all machines': {
    given: ({ networks }) => write(networks[3]!, routeTo('0.0.0.0/0', '10.20.255.255')),
    want: [
      'spec.networks[3].routes[0].nextHopIpAddress is "10.20.255.255", but that is the last address of network unused (10.20.0.0/16), which stands for all machines in it; choose one of 10.20.0.1 to 10.20.255.254',
    ],
  },
};
