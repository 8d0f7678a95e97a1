import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bridgeName, macAddress, overlayNetworkName, shortUid } from './identity.ts';
import { isDnsLabel } from './label.ts';

const uid = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f';

test('shortUid is the head of a UUID and a hash of anything else', () => {
  assert.equal(shortUid(uid), '9f1c2d3e');
  assert.match(shortUid('machine one'), /^[0-9a-f]{8}$/);
  assert.notEqual(shortUid('machine one'), shortUid('machine two'));
});

test('addresses and network names never change for the same object', () => {
  assert.equal(macAddress(uid, 'control-net'), 'b2:e1:d4:d8:6f:d5');
  assert.equal(bridgeName(uid, 'control-net'), 'tnwpq5jwdp2uhxm');
  assert.equal(overlayNetworkName(uid, 'control-net'), `ws-${uid}-control-net`);
});

test('a MAC is well formed, locally administered and unicast', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.string(), (machine, network) => {
      const mac = macAddress(machine, network);
      assert.match(mac, /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/);
      assert.equal(Number.parseInt(mac.slice(0, 2), 16) & 0b11, 0b10, mac);
    }),
  );
});

test('a bridge name is a legal interface name and never one the kernel or a container engine uses', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.string(), (workspace, network) => assert.match(bridgeName(workspace, network), /^tn[a-z2-7]{13}$/)),
  );
});

test('an overlay network name is a DNS label, shortened when the network’s name is long', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.string({ maxLength: 80 }), (workspace, network) =>
      isDnsLabel(overlayNetworkName(workspace, network)),
    ),
  );
  assert.match(overlayNetworkName(uid, 'n'.repeat(24)), /^ws-9f1c2d3e-.*-0[a-z2-7]{16}$/);
});

test('networks of different workspaces, and of one, are named and addressed apart 50,000 times', () => {
  const uids = Array.from({ length: 250 }, (_, i) => `9f1c2d3e-4b5a-4c6d-8e7f-${String(i).padStart(12, '0')}`);
  const networks = Array.from({ length: 200 }, (_, i) => `net-${'0'.repeat(i % 7)}${i}`);
  for (const nameOf of [bridgeName, overlayNetworkName, macAddress]) {
    const names = new Set(uids.flatMap((workspace) => networks.map((network) => nameOf(workspace, network))));
    assert.equal(names.size, uids.length * networks.length, nameOf.name);
  }
});
