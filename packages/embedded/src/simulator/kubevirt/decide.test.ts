import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance, Machine, MachineCondition } from '../objects.ts';
import { Rehearsal } from '../rehearsal.ts';
import { noDurations, type Scenario } from '../scenario/scenario.ts';

const seconds = (value: number): number => value * 1000;
type Json = Record<string, unknown>;

interface Given {
  readonly switches?: string;
  readonly spec?: Json;
  readonly template?: Json;
  readonly scenario?: Partial<Scenario>;
}

/** A machine `vm` with no disks, unless the template says otherwise. */
function stage({ switches, spec, template, scenario }: Given = {}): Rehearsal {
  const rehearsal = new Rehearsal(scenario);
  rehearsal.create('StorageClass', { metadata: { name: 'fast' }, provisioner: 'simulated.terrain.dev' });
  rehearsal.create('CSIDriver', { metadata: { name: 'simulated.terrain.dev' } });
  rehearsal.create('VirtualMachine', {
    metadata: { name: 'vm', ...(switches === undefined ? {} : { annotations: { 'terrain.dev/sim': switches } }) },
    spec: {
      runStrategy: 'Always',
      ...spec,
      template: { spec: { domain: { memory: { guest: '1Gi' }, devices: {} }, ...template } },
    },
    // The schema's default, before the controller has looked.
    status: { printableStatus: 'Stopped' },
  });
  return rehearsal;
}

const machine = (rehearsal: Rehearsal): Machine => rehearsal.find<Machine>('VirtualMachine', 'vm')!;
const instance = (rehearsal: Rehearsal): Instance | undefined => rehearsal.find<Instance>('VirtualMachineInstance', 'vm');
const printed = (rehearsal: Rehearsal): readonly string[] =>
  rehearsal
    .sequence('VirtualMachine', 'vm', (object) => (object as unknown as Machine).status?.printableStatus ?? '')
    .map(({ value }) => value);
const instancePhases = (rehearsal: Rehearsal): readonly string[] =>
  rehearsal
    .sequence('VirtualMachineInstance', 'vm', (object) => (object as unknown as Instance).status?.phase ?? '')
    .map(({ value }) => value);
const condition = (object: Machine | Instance | undefined, type: string): MachineCondition | undefined =>
  object?.status?.conditions?.find((one) => one.type === type);
const reasonOf = (object: Machine | Instance | undefined, type: string): string | undefined => condition(object, type)?.reason;

const disk = (name: string): Json => ({ volumes: [{ name: 'root', dataVolume: { name } }] });
const image = (url: string): Json => ({
  source: { http: { url } },
  storage: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
});

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
  assert.equal(reasonOf(instance(rehearsal), 'DataVolumesReady'), 'AllDVsReady');
  assert.equal(reasonOf(instance(rehearsal), 'LiveMigratable'), 'DisksNotLiveMigratable');
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
    [instance(rehearsal)?.status?.phase, reasonOf(instance(rehearsal), 'PodScheduled')],
    ['Pending', 'Unschedulable'],
  );
  assert.deepEqual(
    [reasonOf(instance(rehearsal), 'Synchronized'), condition(instance(rehearsal), 'Synchronized')?.message],
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

test('stopped by Halted: Stopping, Stopped, the instance Succeeded and gone a little later (kubevirt 6)', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(10));
  rehearsal.patch('VirtualMachine', 'vm', { spec: { runStrategy: 'Halted' } });
  rehearsal.advance(500);
  assert.deepEqual(
    [machine(rehearsal).status?.printableStatus, reasonOf(instance(rehearsal), 'Ready')],
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

test('what is at rest stays at rest: no writes while nothing changes', () => {
  for (const switches of ['', 'unschedulable', 'no-agent']) {
    const rehearsal = stage({ switches });
    rehearsal.advance(seconds(30));
    const before = rehearsal.writes;
    rehearsal.advance(seconds(600));
    assert.equal(rehearsal.writes, before, switches);
  }
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
