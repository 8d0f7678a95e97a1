import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance, Machine } from '../objects.ts';
import type { Rehearsal } from '../rehearsal.ts';
import {
  condition,
  disk,
  flip,
  image,
  instance,
  instancePhases,
  type Json,
  machine,
  printed,
  seconds,
  stage,
  verdict,
} from './machine-rehearsal.ts';

test('a failing import shows as DataVolumeError, in turns with Provisioning (0.12)', () => {
  const rehearsal = stage({ template: disk('root') });
  rehearsal.create('DataVolume', { metadata: { name: 'root' }, spec: image('https://example.com/x?sim=http:404') });
  rehearsal.advance(seconds(60));
  const flips = printed(rehearsal).filter((value) => value === 'DataVolumeError' || value === 'Provisioning');
  assert.ok(flips.filter((value) => value === 'DataVolumeError').length >= 3, flips.join(' '));
});

test('a disk that does not exist: ErrorPvcNotFound, with both conditions, and it heals (kubevirt 6)', () => {
  const rehearsal = stage({ template: disk('root') });
  rehearsal.advance(seconds(5));
  const message = 'PVC ns/root does not exist, waiting for it to appear';
  assert.equal(machine(rehearsal).status?.printableStatus, 'ErrorPvcNotFound');
  assert.deepEqual(
    [instance(rehearsal)?.status?.phase, condition(instance(rehearsal), 'PodScheduled')?.reason],
    ['Pending', 'Unschedulable'],
  );
  assert.deepEqual(
    [condition(instance(rehearsal), 'Synchronized')?.reason, condition(instance(rehearsal), 'Synchronized')?.message],
    ['FailedPvcNotFound', message],
  );
  rehearsal.create('DataVolume', { metadata: { name: 'root' }, spec: image('https://example.com/x') });
  rehearsal.advance(seconds(20));
  assert.equal(machine(rehearsal).status?.printableStatus, 'Running');
});

const absent: Record<string, { template: Json; create: (rehearsal: Rehearsal) => void }> = {
  'a missing network': {
    template: { networks: [{ name: 'lab', multus: { networkName: 'ns/lab' } }] },
    create: (rehearsal) => rehearsal.create('NetworkAttachmentDefinition', { metadata: { name: 'lab' } }),
  },
  'a missing cloud-init Secret': {
    template: { volumes: [{ name: 'init', cloudInitNoCloud: { secretRef: { name: 'init' } } }] },
    create: (rehearsal) => rehearsal.create('Secret', { metadata: { name: 'init' } }),
  },
};

for (const [name, { template, create }] of Object.entries(absent))
  test(`${name} leaves the machine in Starting with no condition that says why, until it comes (0.11)`, () => {
    const rehearsal = stage({ template });
    rehearsal.advance(seconds(75));
    assert.deepEqual(
      [machine(rehearsal).status?.printableStatus, instance(rehearsal)?.status?.phase],
      ['Starting', 'Scheduling'],
    );
    assert.deepEqual(
      instance(rehearsal)?.status?.conditions?.map(({ type }) => type),
      ['Ready'],
    );
    create(rehearsal);
    rehearsal.advance(seconds(1));
    assert.equal(machine(rehearsal).status?.printableStatus, 'Starting', 'it still has to boot');
    rehearsal.advance(seconds(5));
    assert.equal(machine(rehearsal).status?.printableStatus, 'Running');
  });

test('no room: ErrorUnschedulable with the scheduler’s text (kubevirt 6)', () => {
  const rehearsal = stage({ switches: 'unschedulable' });
  rehearsal.advance(seconds(60));
  assert.deepEqual(
    [machine(rehearsal).status?.printableStatus, instance(rehearsal)?.status?.phase],
    ['ErrorUnschedulable', 'Scheduling'],
  );
  assert.match(condition(instance(rehearsal), 'PodScheduled')?.message ?? '', /nodes are available/);
});

test('a missing image: ErrImagePull after 3 s, ImagePullBackOff after 4 s, in turns (kubevirt 6)', () => {
  const rehearsal = stage({ switches: 'image-missing' });
  rehearsal.advance(seconds(40));
  const seen = rehearsal.sequence('VirtualMachine', 'vm', (object) => (object as unknown as Machine).status?.printableStatus);
  assert.deepEqual(
    seen.slice(2, 6).map(({ value }) => value),
    ['ErrImagePull', 'ImagePullBackOff', 'ErrImagePull', 'ImagePullBackOff'],
  );
  assert.deepEqual(
    seen.slice(2, 4).map(({ atSeconds }) => Math.round(atSeconds)),
    [3, 4],
  );
});

test('a start that fails: CrashLoopBackOff, counted, with growing back-off, its reason shown for a moment only (kubevirt 6)', () => {
  const rehearsal = stage({ switches: 'crashloop' });
  rehearsal.advance(seconds(100));
  const { startFailure } = machine(rehearsal).status ?? {};
  assert.ok(printed(rehearsal).includes('CrashLoopBackOff'));
  assert.equal(startFailure?.consecutiveFailCount, 3);
  const flashes = rehearsal.sequence(
    'VirtualMachineInstance',
    'vm',
    (object) => condition(object as unknown as Instance, 'Synchronized')?.reason ?? '',
  );
  const [on, off] = flashes.slice(1, 3);
  assert.ok((off?.atSeconds ?? 0) - (on?.atSeconds ?? 0) <= 0.2);
  const waits = rehearsal.sequence('VirtualMachine', 'vm', (object) => (object as unknown as Machine).status?.startFailure);
  const backoffs = waits.flatMap(({ value, atSeconds }) =>
    value === undefined
      ? []
      : [Date.parse(value.retryAfterTimestamp ?? '') / 1000 - Date.parse('2026-01-01T00:00:00Z') / 1000 - atSeconds],
  );
  assert.ok(backoffs[0]! >= 9 && backoffs[0]! <= 15 && backoffs[1]! >= 39 && backoffs[1]! <= 60, backoffs.join(' '));
});

test('starts that fail a few times and then work clear the count', () => {
  const rehearsal = stage({ switches: 'start-fails:2' });
  rehearsal.advance(seconds(120));
  assert.deepEqual([machine(rehearsal).status?.printableStatus, machine(rehearsal).status?.startFailure], ['Running', undefined]);
});

test('an image without a disk in it: Starting, the instance Scheduled, with the reason', () => {
  const rehearsal = stage({ switches: 'no-disk' });
  rehearsal.advance(seconds(60));
  assert.deepEqual([machine(rehearsal).status?.printableStatus, instance(rehearsal)?.status?.phase], ['Starting', 'Scheduled']);
  assert.match(condition(machine(rehearsal), 'Synchronized')?.message ?? '', /failed to find a sourceFile in containerDisk root/);
});

test('no quota for the launcher pod: Starting, the instance Pending, with the quota’s words', () => {
  const rehearsal = stage({ switches: 'quota' });
  rehearsal.advance(seconds(60));
  const vm = machine(rehearsal);
  assert.deepEqual(
    [vm.status?.printableStatus, instance(rehearsal)?.status?.phase, verdict(vm, 'Ready'), verdict(vm, 'Synchronized')],
    ['Starting', 'Pending', 'False PodNotExists', 'False FailedCreate'],
  );
  assert.match(condition(vm, 'Synchronized')?.message ?? '', /^failed to create virtual machine pod: .* exceeded quota: /);
  assert.equal(rehearsal.events.filter(({ reason }) => reason === 'FailedCreate').length, 1);
});

for (const switches of ['unschedulable', 'image-missing', 'no-disk', 'quota', 'crashloop', 'start-fails:1'])
  test(`${switches} passes: the machine goes on through every phase, and nothing of it is left`, () => {
    const rehearsal = stage({ switches });
    rehearsal.advance(seconds(40));
    assert.ok(!printed(rehearsal).includes('Running') || switches === 'start-fails:1');
    flip(rehearsal, null);
    rehearsal.advance(seconds(90));
    assert.deepEqual(
      [machine(rehearsal).status?.printableStatus, machine(rehearsal).status?.startFailure],
      ['Running', undefined],
    );
    const phases = instancePhases(rehearsal);
    assert.deepEqual(phases.slice(phases.lastIndexOf('Pending')), ['Pending', 'Scheduling', 'Scheduled', 'Running']);
    assert.deepEqual(
      machine(rehearsal)
        .status?.conditions?.map(({ type }) => type)
        .toSorted(),
      ['AgentConnected', 'LiveMigratable', 'Ready', 'StorageLiveMigratable'],
    );
  });

test('a download that fails for a while holds the machine back, and then it runs', () => {
  const rehearsal = stage({ template: disk('root') });
  rehearsal.create('DataVolume', { metadata: { name: 'root' }, spec: image('https://example.com/x?sim=restarts:2') });
  rehearsal.advance(seconds(120));
  assert.ok(printed(rehearsal).includes('DataVolumeError'), printed(rehearsal).join(' '));
  assert.equal(machine(rehearsal).status?.printableStatus, 'Running');
});
