import assert from 'node:assert/strict';
import { test } from 'node:test';
import { condition, flip, instance, type Json, machine, printed, seconds, stage, verdict } from './machine-rehearsal.ts';

test('stopped by Halted: Stopping, Stopped, the instance Succeeded and gone a little later (kubevirt 6)', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  rehearsal.patch('VirtualMachine', 'vm', { spec: { runStrategy: 'Halted' } });
  rehearsal.advance(500);
  assert.deepEqual(
    [machine(rehearsal).status?.printableStatus, condition(instance(rehearsal), 'Ready')?.reason],
    ['Stopping', 'PodTerminating'],
  );
  assert.equal(condition(instance(rehearsal), 'AgentConnected'), undefined);
  rehearsal.advance(600);
  assert.deepEqual(
    [machine(rehearsal).status?.printableStatus, instance(rehearsal)?.status?.phase],
    ['Stopped', 'Succeeded'],
    'Stopped although the object is still there',
  );
  rehearsal.advance(seconds(2));
  assert.equal(instance(rehearsal), undefined);
  assert.deepEqual([machine(rehearsal).status?.printableStatus, machine(rehearsal).status?.created], ['Stopped', false]);
});

test('a guest that ignores the power button is killed after its grace period and ends Failed (0.13)', () => {
  const rehearsal = stage({ switches: 'ignore-acpi', template: { terminationGracePeriodSeconds: 5 } });
  rehearsal.advance(seconds(10));
  rehearsal.patch('VirtualMachine', 'vm', { spec: { runStrategy: 'Halted' } });
  rehearsal.advance(seconds(4.9));
  assert.equal(machine(rehearsal).status?.printableStatus, 'Stopping');
  rehearsal.advance(300);
  assert.deepEqual([machine(rehearsal).status?.printableStatus, instance(rehearsal)?.status?.phase], ['Stopped', 'Failed']);
  assert.equal(machine(rehearsal).status?.startFailure, undefined, 'it did run');
});

test('an instance deleted by hand is made anew under Always (kubevirt 6)', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  const before = instance(rehearsal)?.metadata.uid;
  rehearsal.delete('VirtualMachineInstance', 'vm');
  rehearsal.advance(seconds(20));
  assert.deepEqual(printed(rehearsal).slice(2), ['Running', 'Stopping', 'Stopped', 'Starting', 'Running']);
  assert.notEqual(instance(rehearsal)?.metadata.uid, before);
});

const strategies: Record<
  string,
  { strategy: string; switches: string; want: { printed: string; phase: string | undefined; starts: number } }
> = {
  'guest poweroff under Manual: Stopped, the instance stays': {
    strategy: 'Manual',
    switches: 'poweroff:5s',
    want: { printed: 'Stopped', phase: 'Succeeded', starts: 1 },
  },
  'guest poweroff under RerunOnFailure: Stopped, not restarted': {
    strategy: 'RerunOnFailure',
    switches: 'poweroff:5s',
    want: { printed: 'Stopped', phase: undefined, starts: 1 },
  },
  'guest poweroff under Once: Stopped': {
    strategy: 'Once',
    switches: 'poweroff:5s',
    want: { printed: 'Stopped', phase: 'Succeeded', starts: 1 },
  },
  'a crash under RerunOnFailure: restarted': {
    strategy: 'RerunOnFailure',
    switches: 'crash:6s',
    want: { printed: 'Running', phase: 'Running', starts: 3 },
  },
  'guest poweroff under Always: restarted': {
    strategy: 'Always',
    switches: 'poweroff:6s',
    want: { printed: 'Running', phase: 'Running', starts: 3 },
  },
  'Halted: never started': { strategy: 'Halted', switches: '', want: { printed: 'Stopped', phase: undefined, starts: 0 } },
};

for (const [name, { strategy, switches, want }] of Object.entries(strategies))
  test(`${name} (kubevirt 6)`, () => {
    const rehearsal = stage({ switches, spec: { runStrategy: strategy } });
    // As the start subresource does, which bare definitions do not have.
    if (strategy === 'Manual')
      rehearsal.patch('VirtualMachine', 'vm', { status: { stateChangeRequests: [{ action: 'Start' }] } });
    rehearsal.advance(seconds(24));
    const starts = rehearsal.events.filter(({ reason }) => reason === 'SuccessfulCreate').length;
    assert.deepEqual(
      { printed: machine(rehearsal).status?.printableStatus, phase: instance(rehearsal)?.status?.phase, starts },
      want,
    );
  });

test('a restart by state change requests: stop, then start, and the list is empty again (kubevirt 6)', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  const uid = instance(rehearsal)?.metadata.uid;
  rehearsal.patch('VirtualMachine', 'vm', { status: { stateChangeRequests: [{ action: 'Stop', uid }, { action: 'Start' }] } });
  rehearsal.advance(seconds(20));
  assert.deepEqual(printed(rehearsal).slice(3), ['Stopping', 'Stopped', 'Starting', 'Running']);
  assert.equal(machine(rehearsal).status?.stateChangeRequests, undefined);
});

test('a change of the template while running asks for a restart, in these words, and is gone with the stop (kubevirt 6)', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  rehearsal.patch('VirtualMachine', 'vm', { spec: { template: { metadata: { labels: { a: 'b' } } } } });
  rehearsal.advance(100);
  assert.equal(condition(machine(rehearsal), 'RestartRequired'), undefined, 'a label needs none');
  rehearsal.patch('VirtualMachine', 'vm', { spec: { template: { spec: { domain: { memory: { guest: '2Gi' } } } } } });
  rehearsal.advance(100);
  assert.equal(
    condition(machine(rehearsal), 'RestartRequired')?.message,
    'memory updated in template spec. Memory-hotplug is not available for this VM configuration',
  );
  rehearsal.patch('VirtualMachine', 'vm', { spec: { template: { spec: { domain: { cpu: { cores: 2 } } } } } });
  rehearsal.advance(100);
  assert.equal(
    condition(machine(rehearsal), 'RestartRequired')?.message,
    'a non-live-updatable field was changed in the template spec',
  );
  rehearsal.patch('VirtualMachine', 'vm', { spec: { runStrategy: 'Halted' } });
  rehearsal.advance(seconds(5));
  assert.equal(condition(machine(rehearsal), 'RestartRequired'), undefined);
});

test('deleting a machine stops its guest first, in any state', () => {
  for (const switches of ['', 'unschedulable', 'crashloop', 'image-missing']) {
    const rehearsal = stage({ switches });
    rehearsal.advance(seconds(10));
    rehearsal.delete('VirtualMachine', 'vm');
    rehearsal.advance(100);
    if (switches === '') assert.equal(machine(rehearsal).status?.printableStatus, 'Terminating');
    rehearsal.advance(seconds(10));
    assert.deepEqual([rehearsal.find('VirtualMachine', 'vm'), instance(rehearsal)], [undefined, undefined], switches);
  }
});

test('a change that is taken back needs no restart any more', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  rehearsal.patch('VirtualMachine', 'vm', { spec: { template: { spec: { hostname: 'other' } } } });
  rehearsal.advance(100);
  assert.equal(verdict(machine(rehearsal), 'RestartRequired'), 'True');
  rehearsal.patch('VirtualMachine', 'vm', { spec: { template: { spec: { hostname: null } } } });
  rehearsal.advance(100);
  assert.equal(verdict(machine(rehearsal), 'RestartRequired'), '');
});

test('changed while stopped: the next start has it, without a word of restarts', () => {
  const rehearsal = stage({ spec: { runStrategy: 'Halted' } });
  rehearsal.advance(seconds(1));
  rehearsal.patch('VirtualMachine', 'vm', { spec: { runStrategy: 'Always', template: { spec: { hostname: 'other' } } } });
  rehearsal.advance(seconds(10));
  assert.deepEqual([machine(rehearsal).status?.printableStatus, verdict(machine(rehearsal), 'RestartRequired')], ['Running', '']);
  assert.equal((instance(rehearsal)?.spec as Json | undefined)?.hostname, 'other');
});

test('stopped while it starts: it ends at once, and a start later works', () => {
  for (const switches of ['boot:30s', 'unschedulable', 'image-missing', 'quota']) {
    const rehearsal = stage({ switches });
    rehearsal.advance(seconds(8));
    rehearsal.patch('VirtualMachine', 'vm', { spec: { runStrategy: 'Halted' } });
    rehearsal.advance(seconds(3));
    assert.deepEqual([machine(rehearsal).status?.printableStatus, instance(rehearsal)], ['Stopped', undefined], switches);
    flip(rehearsal, null);
    rehearsal.patch('VirtualMachine', 'vm', { spec: { runStrategy: 'Always' } });
    rehearsal.advance(seconds(20));
    assert.equal(machine(rehearsal).status?.printableStatus, 'Running', switches);
  }
});
