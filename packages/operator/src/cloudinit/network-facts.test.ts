import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseNetworkFacts } from './network-facts.ts';

const nothing = { facts: { nameservers: [], routes: [] } };
const cases: Record<string, { given: string | undefined; want: unknown }> = {
  'no annotation': { given: undefined, want: nothing },
  'an empty one': { given: ' \n', want: nothing },
  'an empty object': { given: '{}', want: nothing },
  'null where nothing is meant': { given: '{"cidr":null,"gateway":"","nameservers":null,"routes":null}', want: nothing },
  everything: {
    given:
      '{"cidr":"4.29.163.0/28","gateway":"4.29.163.14","nameservers":["4.29.163.7"],"routes":[{"destinationNetworkCidr":"0.0.0.0/0","nextHopIpAddress":"4.29.163.14"}]}',
    want: {
      facts: {
        cidr: '4.29.163.0/28',
        gateway: '4.29.163.14',
        nameservers: ['4.29.163.7'],
        routes: [{ destinationNetworkCidr: '0.0.0.0/0', nextHopIpAddress: '4.29.163.14' }],
      },
    },
  },
  'nameservers as in a Workspace': {
    given: '{"nameservers":{"addresses":["10.0.0.1","fd00::1"]}}',
    want: { facts: { nameservers: ['10.0.0.1', 'fd00::1'], routes: [] } },
  },
  'nameservers as in a Workspace that names none': { given: '{"nameservers":{}}', want: nothing },
  'keys of somebody else': { given: '{"mtu":1500,"vlan":{"id":4}}', want: nothing },
  'a destination with host bits': {
    given: '{"routes":[{"destinationNetworkCidr":"172.26.5.9/15","nextHopIpAddress":"10.0.0.1"}]}',
    want: { facts: { nameservers: [], routes: [{ destinationNetworkCidr: '172.26.0.0/15', nextHopIpAddress: '10.0.0.1' }] } },
  },
  'an IPv6 destination with host bits': {
    given: '{"routes":[{"destinationNetworkCidr":"fd00:1::9/32","nextHopIpAddress":"fd00::1"}]}',
    want: {
      facts: { nameservers: [], routes: [{ destinationNetworkCidr: 'fd00:1:0:0:0:0:0:0/32', nextHopIpAddress: 'fd00::1' }] },
    },
  },
  'no JSON': { given: 'cidr: 10.0.0.0/8', want: { problem: 'annotation pelotech.ot/network is not JSON: "cidr: 10.0.0.0/8"' } },
  'a list': {
    given: '[]',
    want: { problem: 'annotation pelotech.ot/network must be a JSON object such as {"cidr":"10.10.0.0/24"}' },
  },
  'a cidr that is an address': {
    given: '{"cidr":"10.0.0.1"}',
    want: { problem: 'annotation pelotech.ot/network has cidr "10.0.0.1"; it must be a network such as 10.10.0.0/24' },
  },
  'a gateway outside': {
    given: '{"cidr":"10.0.0.0/24","gateway":"10.0.1.1"}',
    want: {
      problem:
        'annotation pelotech.ot/network has gateway "10.0.1.1", which is not inside its cidr 10.0.0.0/24; correct one of the two',
    },
  },
  'a next hop outside': {
    given: '{"cidr":"10.0.0.0/24","routes":[{"destinationNetworkCidr":"0.0.0.0/0","nextHopIpAddress":"fd00::1"}]}',
    want: {
      problem:
        'annotation pelotech.ot/network has routes[0].nextHopIpAddress "fd00::1", which is not inside its cidr 10.0.0.0/24; correct one of the two',
    },
  },
  'a route between families': {
    given: '{"routes":[{"destinationNetworkCidr":"::/0","nextHopIpAddress":"10.0.0.1"}]}',
    want: {
      problem: 'annotation pelotech.ot/network has a routes[0] from "::/0" to "10.0.0.1"; both must be IPv4 or both must be IPv6',
    },
  },
  'a route without a next hop': {
    given: '{"routes":[{"destinationNetworkCidr":"0.0.0.0/0"}]}',
    want: {
      problem:
        'annotation pelotech.ot/network has routes[0].nextHopIpAddress missing; it must be an IP address such as 10.10.0.1',
    },
  },
  'a route that is a text': {
    given: '{"routes":["default"]}',
    want: {
      problem:
        'annotation pelotech.ot/network has a routes[0] that is "default"; it must have destinationNetworkCidr and nextHopIpAddress',
    },
  },
  'routes that are no list': {
    given: '{"routes":{"to":"x"}}',
    want: { problem: 'annotation pelotech.ot/network has routes {"to":"x"}; it must be a list' },
  },
  'a nameserver that is a name': {
    given: '{"nameservers":["dns.example.com"]}',
    want: {
      problem: 'annotation pelotech.ot/network has nameservers[0] "dns.example.com"; it must be an IP address such as 10.10.0.1',
    },
  },
};
for (const [name, { given, want }] of Object.entries(cases)) {
  test(`network facts of ${name}`, () => assert.deepEqual(parseNetworkFacts(given), want));
}

test('network facts of anything at all are facts or one short line', () => {
  const parts = fc.constantFrom(
    'cidr',
    'gateway',
    'nameservers',
    'routes',
    'destinationNetworkCidr',
    'nextHopIpAddress',
    'addresses',
  );
  const leaf = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant('10.0.0.0/8'), fc.string(), fc.integer(), fc.constant(null));
  const tree = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 4 }, leaf, fc.dictionary(parts, tie('node')), fc.array(tie('node'), { maxLength: 3 })),
  })).node;
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        tree.map((value) => JSON.stringify(value)),
      ),
      (text) => {
        const reading = parseNetworkFacts(text);
        if ('problem' in reading) assert.match(reading.problem, /^[^\n]{20,250}$/u);
        else assert.deepEqual(parseNetworkFacts(JSON.stringify(reading.facts)), reading);
      },
    ),
    { numRuns: 500 },
  );
});
