import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance, Machine } from '../objects.ts';
import { noDurations } from '../scenario/scenario.ts';
import {
  condition,
  disk,
  image,
  instance,
  instancePhases,
  type Json,
  machine,
  printed,
  seconds,
  stage,
} from './machine-rehearsal.ts';

/** On the legacy path a claim is bound from the start, so nobody waits for that. */
const boundAtOnce = { 'cdi.kubevirt.io/storage.usePopulator': 'false' };

test('a start goes through the statuses seen (kubevirt 6)', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  assert.deepEqual(printed(rehearsal), ['Stopped', 'Starting', 'Running']);
  assert.deepEqual(instancePhases(rehearsal), ['', 'Pending', 'Scheduling', 'Scheduled', 'Running']);
  const ready = rehearsal.sequence('VirtualMachine', 'vm', (object) => {
    const found = condition(object as unknown as Machine, 'Ready');
    return found === undefined ? '' : `${found.status} ${found.reason ?? ''}`;
  });
  assert.deepEqual(
    ready.map(({ value }) => value),
    ['', 'False VMINotExists', 'False VMIConditionMissing', 'False PodNotExists', 'False GuestNotRunning', 'True '],
  );
  assert.deepEqual([machine(rehearsal).status?.created, machine(rehearsal).status?.ready], [true, true]);
  assert.equal(condition(instance(rehearsal), 'Synchronized'), undefined, 'none when all is well');
  assert.deepEqual(
    rehearsal.events.map(({ reason }) => reason),
    ['SuccessfulCreate', 'Created', 'Started'],
  );
  assert.equal(instance(rehearsal)?.metadata.labels?.['terrain.dev/simulated'], 'true');
});

test('the instance is Ready 0.03 to 0.1 s after its phase is Running (kubevirt 6)', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  const at = (pick: (object: Instance) => boolean): number =>
    rehearsal
      .sequence('VirtualMachineInstance', 'vm', (object) => pick(object as unknown as Instance))
      .find(({ value }) => value)!.atSeconds;
  const lag = at((object) => condition(object, 'Ready')?.status === 'True') - at((object) => object.status?.phase === 'Running');
  assert.ok(lag >= 0.03 && lag <= 0.1, `${lag} s`);
});

test('with a disk from a template the instance comes when the disk is filled, after a moment of Stopped (kubevirt 6)', () => {
  const rehearsal = stage({
    spec: {
      dataVolumeTemplates: [{ metadata: { name: 'root', annotations: boundAtOnce }, spec: image('https://example.com/x') }],
    },
    template: disk('root'),
  });
  rehearsal.advance(seconds(3));
  assert.equal(instance(rehearsal), undefined);
  rehearsal.advance(seconds(20));
  assert.deepEqual(printed(rehearsal), ['Stopped', 'Provisioning', 'Stopped', 'Starting', 'Running']);
  assert.equal(condition(instance(rehearsal), 'DataVolumesReady')?.reason, 'AllDVsReady');
  assert.equal(condition(instance(rehearsal), 'LiveMigratable')?.reason, 'DisksNotLiveMigratable');
  assert.equal(rehearsal.find<Machine>('DataVolume', 'root')?.metadata.ownerReferences?.[0]?.name, 'vm');
});

test('while its claim is not bound yet the machine waits for that (3.1)', () => {
  const rehearsal = stage({ template: disk('root') });
  rehearsal.create('DataVolume', { metadata: { name: 'root' }, spec: image('https://example.com/x') });
  rehearsal.advance(seconds(20));
  assert.deepEqual(printed(rehearsal).slice(-4), ['Provisioning', 'WaitingForVolumeBinding', 'Starting', 'Running']);
});

test('a disk somebody else fills is waited for, with the instance Pending (3)', () => {
  const rehearsal = stage({ template: disk('root') });
  rehearsal.create('DataVolume', { metadata: { name: 'root' }, spec: image('https://example.com/x') });
  rehearsal.advance(seconds(3));
  assert.deepEqual([machine(rehearsal).status?.printableStatus, instance(rehearsal)?.status?.phase], ['Provisioning', 'Pending']);
  rehearsal.advance(seconds(20));
  assert.equal(machine(rehearsal).status?.printableStatus, 'Running');
});

test('a disk that waits for its first consumer gets one', () => {
  const rehearsal = stage({ template: disk('root') });
  rehearsal.create('StorageClass', {
    metadata: { name: 'late' },
    provisioner: 'simulated.terrain.dev',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const spec = image('https://example.com/x');
  rehearsal.create('DataVolume', {
    metadata: { name: 'root' },
    spec: { ...spec, storage: { ...(spec.storage as Json), storageClassName: 'late' } },
  });
  rehearsal.advance(seconds(20));
  assert.equal(machine(rehearsal).status?.printableStatus, 'Running');
});

test('a simulator that was stopped for a minute skips nothing: it goes on with what it had not shown', () => {
  const calm = stage({ switches: 'start-fails:1' });
  calm.advance(seconds(60));
  const busy = stage({ switches: 'start-fails:1' });
  for (let round = 0; round < 40; round++) {
    busy.advance(0);
    busy.pause(seconds(60));
  }
  assert.deepEqual(instancePhases(busy), instancePhases(calm));
  const flashes = busy.sequence(
    'VirtualMachineInstance',
    'vm',
    (object) => condition(object as unknown as Instance, 'Synchronized')?.reason ?? '',
  );
  assert.ok(flashes.some(({ value }) => value === 'Synchronizing with the Domain failed.'));
});

test('an instant start costs four writes and no events', () => {
  const rehearsal = stage({ scenario: { durations: noDurations } });
  rehearsal.advance(0);
  assert.deepEqual([machine(rehearsal).status?.printableStatus, machine(rehearsal).status?.ready], ['Running', true]);
  assert.equal(condition(machine(rehearsal), 'AgentConnected')?.status, 'True');
  assert.deepEqual([rehearsal.writes, rehearsal.events], [4, []]);
});

test('what is at rest stays at rest: no writes while nothing changes', () => {
  for (const switches of ['', 'unschedulable', 'no-agent']) {
    const rehearsal = stage({ switches });
    rehearsal.advance(seconds(30));
    const before = rehearsal.writes;
    rehearsal.advance(seconds(600));
    assert.equal(rehearsal.writes, before, switches);
  }
});
