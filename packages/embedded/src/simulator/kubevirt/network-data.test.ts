import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNetworkData } from './network-data.ts';

const cases: Record<string, { given: string | undefined; want: unknown }> = {
  'version 2': {
    given:
      'version: 2\nethernets:\n  nic0:\n    match:\n      macaddress: "02:00:00:00:00:01"\n    addresses:\n      - 10.10.0.5/24\n      - fd00::5/64\n',
    want: [{ id: 'nic0', mac: '02:00:00:00:00:01', addresses: ['10.10.0.5', 'fd00::5'] }],
  },
  'version 2 under "network"': {
    given: '{"network":{"version":2,"ethernets":{"a":{"dhcp4":true}}}}',
    want: [{ id: 'a', addresses: [] }],
  },
  'version 1': {
    given:
      'version: 1\nconfig:\n- type: physical\n  name: eth0\n  mac_address: "02:00:00:00:00:02"\n  subnets:\n  - {type: static, address: 10.0.0.2/16}\n- type: nameserver\n  address: 1.1.1.1\n',
    want: [{ id: 'eth0', mac: '02:00:00:00:00:02', addresses: ['10.0.0.2'] }],
  },
  none: { given: undefined, want: [] },
  'no YAML': { given: '\t: {', want: [] },
  'something else': { given: '[1, 2]', want: [] },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`network data: ${name}`, () => assert.deepEqual(readNetworkData(given), want));
