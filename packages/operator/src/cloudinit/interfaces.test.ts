import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macAddress, type VirtualMachineSpec } from '@terrain/api';
import { aVirtualMachine, stored } from '@terrain/api/testing';
import { type GuestInterface, guestInterfaces } from './interfaces.ts';
import { type NetworkFacts, parseNetworkFacts } from './network-facts.ts';

type Interfaces = NonNullable<VirtualMachineSpec['interfaces']>;
const machine = (interfaces?: Interfaces) => stored(aVirtualMachine(interfaces === undefined ? {} : { spec: { interfaces } }));
const uid = machine().metadata.uid;

function networks(given: Record<string, object>): ReadonlyMap<string, NetworkFacts> {
  return new Map(
    Object.entries(given).map(([name, value]) => {
      const reading = parseNetworkFacts(JSON.stringify(value));
      assert.ok('facts' in reading, JSON.stringify(reading));
      return [name, reading.facts];
    }),
  );
}

const card = (name: string, network: string, change: Partial<GuestInterface> = {}): GuestInterface => ({
  name,
  network,
  macAddress: macAddress(uid, network),
  dhcp: false,
  addresses: [],
  routes: [],
  nameservers: [],
  ...change,
});
const route = (destinationNetworkCidr: string, nextHopIpAddress: string) => ({ destinationNetworkCidr, nextHopIpAddress });

const cases: Record<string, { interfaces?: Interfaces; networks: Record<string, object>; want: readonly GuestInterface[] }> = {
  'no interfaces: the pod network, with an address from it and a MAC of its own': {
    networks: {},
    want: [
      {
        name: 'nic0',
        network: undefined,
        macAddress: macAddress(uid, ''),
        dhcp: true,
        addresses: [],
        routes: [],
        nameservers: [],
      },
    ],
  },
  'the seed: the router of a network does not route through itself': {
    interfaces: [
      { network: 'control-net', ipAddress: '10.10.0.161/24' },
      { network: 'bridge-inet', ipAddress: '4.29.163.6/28' },
      { network: 'bridge-edge', ipAddress: '172.27.11.11/28' },
    ],
    networks: {
      'control-net': { cidr: '10.10.0.0/24' },
      'bridge-inet': {
        cidr: '4.29.163.0/28',
        gateway: '4.29.163.14',
        nameservers: ['4.29.163.7'],
        routes: [route('0.0.0.0/0', '4.29.163.14')],
      },
      'bridge-edge': {
        cidr: '172.27.11.0/28',
        nameservers: ['4.29.163.7'],
        routes: [route('0.0.0.0/0', '172.27.11.11'), route('172.26.0.0/15', '172.27.11.12')],
      },
    },
    want: [
      card('nic0', 'control-net', { addresses: ['10.10.0.161/24'] }),
      card('nic1', 'bridge-inet', {
        addresses: ['4.29.163.6/28'],
        routes: [{ to: '0.0.0.0/0', via: '4.29.163.14' }],
        nameservers: ['4.29.163.7'],
      }),
      card('nic2', 'bridge-edge', {
        addresses: ['172.27.11.11/28'],
        routes: [{ to: '172.26.0.0/15', via: '172.27.11.12' }],
        nameservers: ['4.29.163.7'],
      }),
    ],
  },
  'a network nothing is known of': {
    interfaces: [{ network: 'a', ipAddress: '10.0.0.2/8' }],
    networks: {},
    want: [card('nic0', 'a', { addresses: ['10.0.0.2/8'] })],
  },
  'a MAC of the person’s own, in lower case': {
    interfaces: [{ network: 'a', macAddress: '02:00:5E:10:00:AB' }],
    networks: {},
    want: [card('nic0', 'a', { macAddress: '02:00:5e:10:00:ab' })],
  },
  'no address: no routes, and the way out is the next network’s': {
    interfaces: [{ network: 'a' }, { network: 'b', ipAddress: '10.1.0.2/24' }],
    networks: {
      a: { cidr: '10.0.0.0/24', gateway: '10.0.0.1', routes: [route('10.9.0.0/16', '10.0.0.9')], nameservers: ['10.0.0.53'] },
      b: { cidr: '10.1.0.0/24', gateway: '10.1.0.1' },
    },
    want: [
      card('nic0', 'a', { nameservers: ['10.0.0.53'] }),
      card('nic1', 'b', { addresses: ['10.1.0.2/24'], routes: [{ to: '0.0.0.0/0', via: '10.1.0.1' }] }),
    ],
  },
  'two gateways: one way out of each family': {
    interfaces: [
      { network: 'a', ipAddress: '10.0.0.2/24' },
      { network: 'b', ipAddress: '10.1.0.2/24' },
      { network: 'c', ipAddress: 'fd00::2/64' },
    ],
    networks: {
      a: { cidr: '10.0.0.0/24', gateway: '10.0.0.1' },
      b: { cidr: '10.1.0.0/24', gateway: '10.1.0.1' },
      c: { cidr: 'fd00::/64', gateway: 'fd00::1' },
    },
    want: [
      card('nic0', 'a', { addresses: ['10.0.0.2/24'], routes: [{ to: '0.0.0.0/0', via: '10.0.0.1' }] }),
      card('nic1', 'b', { addresses: ['10.1.0.2/24'] }),
      card('nic2', 'c', { addresses: ['fd00::2/64'], routes: [{ to: '::/0', via: 'fd00::1' }] }),
    ],
  },
  'a route elsewhere is the way out, not the gateway': {
    interfaces: [
      { network: 'a', ipAddress: '10.0.0.2/24' },
      { network: 'b', ipAddress: '10.1.0.2/24' },
    ],
    networks: {
      a: { cidr: '10.0.0.0/24', gateway: '10.0.0.1' },
      b: { cidr: '10.1.0.0/24', routes: [route('0.0.0.0/0', '10.1.0.7')] },
    },
    want: [
      card('nic0', 'a', { addresses: ['10.0.0.2/24'] }),
      card('nic1', 'b', { addresses: ['10.1.0.2/24'], routes: [{ to: '0.0.0.0/0', via: '10.1.0.7' }] }),
    ],
  },
  'the gateway itself, whatever way its address is spelt': {
    interfaces: [{ network: 'a', ipAddress: 'fd00:0:0::1/64' }],
    networks: { a: { cidr: 'fd00::/64', gateway: 'fd00::1', routes: [route('fd01::/64', 'fd00:0::1')] } },
    want: [card('nic0', 'a', { addresses: ['fd00:0:0::1/64'] })],
  },
  'two networks that lead to one place: the first wins': {
    interfaces: [
      { network: 'a', ipAddress: '10.0.0.2/24' },
      { network: 'b', ipAddress: '10.1.0.2/24' },
    ],
    networks: {
      a: { routes: [route('0.0.0.0/0', '10.0.0.1'), route('10.5.0.0/16', '10.0.0.1')] },
      b: { routes: [route('0.0.0.0/0', '10.1.0.1')] },
    },
    want: [
      card('nic0', 'a', {
        addresses: ['10.0.0.2/24'],
        routes: [
          { to: '0.0.0.0/0', via: '10.0.0.1', metric: 100 },
          { to: '10.5.0.0/16', via: '10.0.0.1' },
        ],
      }),
      card('nic1', 'b', { addresses: ['10.1.0.2/24'], routes: [{ to: '0.0.0.0/0', via: '10.1.0.1', metric: 200 }] }),
    ],
  },
  'an address without prefix length takes its network’s': {
    interfaces: [
      { network: 'a', ipAddress: '10.0.0.2' },
      { network: 'b', ipAddress: '10.1.0.2' },
    ],
    networks: { a: { cidr: '10.0.0.0/20' } },
    want: [card('nic0', 'a', { addresses: ['10.0.0.2/20'] }), card('nic1', 'b', { addresses: ['10.1.0.2/32'] })],
  },
};
for (const [name, { interfaces, networks: given, want }] of Object.entries(cases)) {
  test(`network cards: ${name}`, () => assert.deepEqual(guestInterfaces(machine(interfaces), networks(given)), want));
}

test('network cards: only of a stored machine, since their MACs come from its UID', () => {
  assert.throws(() => guestInterfaces(aVirtualMachine(), new Map()), /has no UID/);
});
