import assert from 'node:assert/strict';
import { test } from 'node:test';
import { condition, flip, instance, type Json, machine, seconds, stage, verdict } from './machine-rehearsal.ts';

test('the agent connects later and brings the addresses of the network data (3.1)', () => {
  const networkData =
    'version: 2\nethernets:\n  lab:\n    match: {macaddress: "02:00:00:00:00:01"}\n    addresses: [10.10.0.5/24]\n';
  const rehearsal = stage({
    template: {
      domain: {
        devices: {
          interfaces: [
            { name: 'lab', bridge: {}, macAddress: '02:00:00:00:00:01' },
            { name: 'other', bridge: {} },
          ],
        },
      },
      volumes: [{ name: 'init', cloudInitNoCloud: { networkDataSecretRef: { name: 'init' } } }],
    },
  });
  rehearsal.create('Secret', { metadata: { name: 'init' }, data: { networkdata: Buffer.from(networkData).toString('base64') } });
  rehearsal.advance(seconds(3));
  assert.deepEqual(
    [condition(instance(rehearsal), 'AgentConnected'), instance(rehearsal)?.status?.interfaces?.[0]?.infoSource],
    [undefined, 'domain'],
  );
  rehearsal.advance(seconds(5));
  assert.equal(condition(instance(rehearsal), 'AgentConnected')?.status, 'True');
  const [lab, other] = instance(rehearsal)?.status?.interfaces ?? [];
  assert.deepEqual([lab?.ipAddress, lab?.infoSource, lab?.mac], ['10.10.0.5', 'domain, guest-agent', '02:00:00:00:00:01']);
  assert.deepEqual([other?.ipAddress, /^02(:[0-9a-f]{2}){5}$/.test(other?.mac ?? '')], [undefined, true]);
});

test('an interface without an address gets a new one at every start, one with an address keeps it (0.14)', () => {
  const rehearsal = stage({
    template: { domain: { devices: { interfaces: [{ name: 'a' }, { name: 'b', macAddress: '02:00:00:00:00:0b' }] } } },
  });
  rehearsal.advance(seconds(10));
  const before = instance(rehearsal)?.status?.interfaces?.map(({ mac }) => mac);
  rehearsal.delete('VirtualMachineInstance', 'vm');
  rehearsal.advance(seconds(20));
  const after = instance(rehearsal)?.status?.interfaces?.map(({ mac }) => mac);
  assert.notEqual(after?.[0], before?.[0]);
  assert.equal(after?.[1], before?.[1]);
});

test('the pod network’s address comes with the run, all others with the agent, under the names the network data gives', () => {
  const networkData =
    'version: 2\nethernets:\n  lab0:\n    match: {macaddress: "02:00:00:00:00:01"}\n    set-name: lab0\n    addresses: [10.10.0.5/24]\n';
  const rehearsal = stage({
    switches: 'agent:1m',
    template: {
      domain: {
        devices: {
          interfaces: [
            { name: 'pod', masquerade: {} },
            { name: 'lab', macAddress: '02:00:00:00:00:01' },
          ],
        },
      },
      networks: [
        { name: 'pod', pod: {} },
        { name: 'lab', multus: { networkName: 'lab' } },
      ],
      volumes: [{ name: 'init', cloudInitNoCloud: { networkData } }],
    },
  });
  rehearsal.create('NetworkAttachmentDefinition', { metadata: { name: 'lab' } });
  const seen = (): unknown =>
    instance(rehearsal)?.status?.interfaces?.map((one) => [one.ipAddress, one.interfaceName, one.infoSource]);
  rehearsal.advance(seconds(10));
  const [[podAddress]] = seen() as [[string]];
  assert.match(podAddress, /^10\.42\.\d+\.\d+$/);
  assert.deepEqual(seen(), [
    [podAddress, undefined, 'domain'],
    [undefined, undefined, 'domain'],
  ]);
  rehearsal.advance(seconds(60));
  assert.deepEqual(seen(), [
    [podAddress, 'enp1s0', 'domain, guest-agent'],
    ['10.10.0.5', 'lab0', 'domain, guest-agent'],
  ]);
});

test('a guest may have another address than it was given', () => {
  const rehearsal = stage({ switches: 'address:10.9.9.9', template: { domain: { devices: { interfaces: [{ name: 'lab' }] } } } });
  rehearsal.advance(seconds(10));
  assert.deepEqual(
    instance(rehearsal)?.status?.interfaces?.map(({ ipAddress }) => ipAddress),
    ['10.9.9.9'],
  );
});

const probes: Record<string, { probe: Json; switches: string; want: readonly [string, string, string] }> = {
  'a port answers with the guest’s services': {
    probe: { tcpSocket: { port: 22 } },
    switches: 'agent:30s',
    want: ['', 'True', 'True'],
  },
  'a port that answers late': { probe: { tcpSocket: { port: 22 } }, switches: 'port:20s', want: ['', '', 'True'] },
  'a port that never answers': { probe: { tcpSocket: { port: 22 } }, switches: 'no-port', want: ['', '', ''] },
  'the agent, when that is asked': { probe: { guestAgentPing: {} }, switches: 'agent:20s', want: ['', '', 'True'] },
  'no agent to ask': { probe: { guestAgentPing: {} }, switches: 'no-agent', want: ['', '', ''] },
};
for (const [name, { probe, switches, want }] of Object.entries(probes))
  test(`a readiness probe decides over Ready, not over Running: ${name}`, () => {
    const rehearsal = stage({ switches, template: { readinessProbe: probe } });
    const seen: string[] = [];
    for (const at of [3, 10, 30]) {
      rehearsal.advance(seconds(at) - rehearsal.elapsedMs);
      assert.equal(machine(rehearsal).status?.printableStatus, 'Running');
      const ready = verdict(machine(rehearsal), 'Ready');
      assert.equal(machine(rehearsal).status?.ready, ready === 'True');
      seen.push(ready === 'False ContainersNotReady' ? '' : ready);
    }
    assert.deepEqual(seen, want);
  });

test('paused and let go again: the phase stays Running', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  flip(rehearsal, 'paused');
  rehearsal.advance(300);
  const vm = machine(rehearsal);
  assert.deepEqual(
    [vm.status?.printableStatus, verdict(vm, 'Paused'), verdict(vm, 'Ready'), instance(rehearsal)?.status?.phase],
    ['Paused', 'True PausedByUser', 'False ReadinessGatesNotReady', 'Running'],
  );
  flip(rehearsal, null);
  rehearsal.advance(500);
  assert.deepEqual([machine(rehearsal).status?.printableStatus, verdict(machine(rehearsal), 'Ready')], ['Running', 'True']);
  assert.equal(condition(machine(rehearsal), 'Paused'), undefined);
});
