import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualMachineKind } from '@terrain/api';
import { aKubevirtMachine, aMachine, anInstance, aRootDisk, aSnapshot } from '#testing/machine-world.ts';
import { decide } from './decide.ts';
import { no, type Snapshot, stuck } from './snapshot.ts';
import { type Report, statusOf } from './status.ts';

const machine = aMachine();
const up = aKubevirtMachine('Always', { printableStatus: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
const running: Partial<Snapshot> = { disks: [aRootDisk(machine)], kubevirt: up };

function statusFor(given: Partial<Snapshot>, more: Partial<Report> = {}) {
  const snapshot = aSnapshot(given);
  return statusOf(snapshot, { ...decide(snapshot), kubevirt: snapshot.kubevirt, ...more }).status;
}

const summary = ({ phase, message, conditions = [] }: ReturnType<typeof statusFor>): string =>
  [
    phase,
    ...conditions
      .filter(({ type }) => ['Ready', 'Reconciling', 'Stalled'].includes(type))
      .map(({ type, status, reason }) => `${type}=${status}/${reason}`),
    message,
  ].join(' ');

const taken = stuck('NameTaken', 'taken');
const image = 'VMDiskImage vmdi-farm/debian';
const cases: Record<string, { given: Partial<Snapshot>; more?: Partial<Report>; want: string }> = {
  'all is there': {
    given: running,
    want: 'Ready Ready=True/Ready Reconciling=False/UpToDate Stalled=False/UpToDate the machine runs',
  },
  'what waits says what for': {
    given: { image: undefined },
    want: `Provisioning Ready=False/DiskImageMissing Reconciling=True/Progressing Stalled=False/Progressing ${image} does not exist; create it, correct vmDiskImageRef, or add a vmDiskImageTemplate`,
  },
  'what only a person can solve': {
    given: { disks: [aRootDisk(machine)] },
    more: { blocker: taken },
    want: 'Failed Ready=False/NameTaken Reconciling=False/NameTaken Stalled=True/NameTaken taken',
  },
  'an image that went does not hurt a running machine': {
    given: { ...running, image: undefined },
    want: `Ready Ready=True/Ready Reconciling=False/UpToDate Stalled=False/UpToDate the machine runs; ${image} is gone; the root disk is not affected`,
  },
  'a Secret that went does not hurt a running machine': {
    given: running,
    more: { blocker: no('SecretMissing', 'there is no Secret') },
    want: 'Ready Ready=True/Ready Reconciling=False/UpToDate Stalled=False/UpToDate the machine runs; there is no Secret',
  },
  'a change that was refused does': {
    given: running,
    more: { blocker: stuck('RefusedByPlatform', 'refused') },
    want: 'Failed Ready=False/RefusedByPlatform Reconciling=False/RefusedByPlatform Stalled=True/RefusedByPlatform refused',
  },
  'paused on its way': {
    given: { image: undefined, machine: aMachine({ metadata: { annotations: { 'pelotech.ot/paused': 'true' } } }) },
    want: `Provisioning Ready=False/Paused Reconciling=False/Paused Stalled=False/Paused ${image} does not exist; create it, correct vmDiskImageRef, or add a vmDiskImageTemplate; paused by the annotation pelotech.ot/paused: nothing is changed until it is removed`,
  },
};
for (const [name, { given, more, want }] of Object.entries(cases))
  test(name, () => assert.equal(summary(statusFor(given, more)), want));

test('every condition of the kind is always there', () => {
  const names = virtualMachineKind.conditions.map(({ name }) => name);
  for (const { given, more } of Object.values(cases))
    assert.deepEqual(
      statusFor(given, more).conditions?.map(({ type }) => type),
      names,
    );
});

test('an address that is another than the one asked for is shown and told', () => {
  const connected = aMachine({ spec: { interfaces: [{ network: 'lan', ipAddress: '10.1.0.7/24' }] } });
  const network = { apiVersion: 'k8s.cni.cncf.io/v1', kind: 'NetworkAttachmentDefinition', metadata: { name: 'lan' } };
  const card = { name: 'nic0', ipAddress: '10.1.0.9', infoSource: 'domain, guest-agent' };
  const given = {
    ...running,
    machine: connected,
    disks: [aRootDisk(connected)],
    networks: new Map([['lan', network]]),
    instance: anInstance({ phase: 'Running', interfaces: [card] }),
  };
  const { interfaces, message } = statusFor(given);
  assert.deepEqual(
    interfaces?.map(({ ipAddress, observedAddress }) => [ipAddress, observedAddress]),
    [['10.1.0.7/24', '10.1.0.9']],
  );
  assert.equal(message, 'the machine runs; the guest has 10.1.0.9 on lan, where 10.1.0.7/24 was asked for');
  const told = statusFor({
    ...given,
    instance: anInstance({ phase: 'Running', interfaces: [{ ...card, infoSource: 'domain' }] }),
  });
  assert.equal(told.interfaces?.[0]?.observedAddress, undefined, 'only the guest’s agent knows');
});

test('a condition keeps its time while its status stays', () => {
  const first = statusFor(running);
  const later = statusOf(
    { ...aSnapshot({ ...running, machine: { ...machine, status: first } }), nowMs: Date.parse('2026-01-15T11:00:00Z') },
    { ...decide(aSnapshot(running)), kubevirt: up },
  ).status;
  assert.deepEqual(later.conditions, first.conditions);
});
