import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiError, type KubeObject, waitForObject } from '@terrain/runtime';
import type { Thing } from '../record.ts';
import { conditionOf, isPhase, phaseOf, statusOf } from '../things.ts';
import { download, Stage } from './stage.ts';

const printed = (object: Thing | undefined): string => statusOf(object, 'printableStatus');
const isPrinted = (status: string) => (object: Thing) => printed(object) === status;
const reasonOf = (object: Thing | undefined, type: string): string => conditionOf(object, type)?.reason ?? '';
const switched = (switches: string): object => ({ annotations: { 'terrain.dev/sim': switches } });

function machine(template: object = {}, spec: object = {}): object {
  const domain = { memory: { guest: '1Gi' }, devices: {} };
  return { spec: { runStrategy: 'Always', ...spec, template: { spec: { domain, ...template } } } };
}

const disk = (name: string): object => ({ volumes: [{ name: 'root', dataVolume: { name } }] });
const wired = {
  domain: { memory: { guest: '1Gi' }, devices: { interfaces: [{ name: 'lab', bridge: {}, macAddress: '02:00:00:00:00:01' }] } },
  networks: [{ name: 'lab', multus: { networkName: 'lab' } }],
  volumes: [{ name: 'init', cloudInitNoCloud: { secretRef: { name: 'init' }, networkDataSecretRef: { name: 'init' } } }],
};
const networkData = 'version: 2\nethernets:\n  lab: {match: {macaddress: "02:00:00:00:00:01"}, addresses: [10.10.0.5/24]}\n';

describe('VirtualMachines, on a real API server', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open({ speed: 10 });
  });
  after(() => stage[Symbol.asyncDispose]());

  test('a start: the statuses, the instance’s phases, Ready, agent and addresses (kubevirt 6; platform-apis 0.13, 3.1)', async () => {
    const namespace = await stage.namespace();
    await stage.create('NetworkAttachmentDefinition', namespace, 'lab', { spec: { config: '{}' } });
    await stage.create('Secret', namespace, 'init', { stringData: { userdata: '#cloud-config', networkdata: networkData } });
    await stage.create('VirtualMachine', namespace, 'vm', machine(wired));
    const instance = await stage.until(
      'VirtualMachineInstance',
      namespace,
      'vm',
      (object) => conditionOf(object, 'AgentConnected')?.status === 'True',
    );
    await stage.until('VirtualMachine', namespace, 'vm', (object) => conditionOf(object, 'AgentConnected')?.status === 'True');
    assert.deepEqual(stage.sequence('VirtualMachine', namespace, 'vm', printed), ['', 'Stopped', 'Starting', 'Running']);
    assert.deepEqual(stage.sequence('VirtualMachineInstance', namespace, 'vm', phaseOf), [
      '',
      'Pending',
      'Scheduling',
      'Scheduled',
      'Running',
    ]);
    const ready = stage.sequence(
      'VirtualMachine',
      namespace,
      'vm',
      (object) => `${conditionOf(object, 'Ready')?.status ?? ''} ${reasonOf(object, 'Ready')}`,
    );
    assert.deepEqual([ready[1], ready.at(-1)], ['False VMINotExists', 'True ']);
    assert.ok(ready.includes('False GuestNotRunning'), ready.join(', '));
    const running = stage.versionOf('VirtualMachineInstance', namespace, 'vm', isPhase('Running'));
    assert.ok(
      running <=
        stage.versionOf('VirtualMachineInstance', namespace, 'vm', (object) => conditionOf(object, 'Ready')?.status === 'True'),
    );
    const [lab] = (instance.status?.interfaces ?? []) as { ipAddress?: string; infoSource?: string; mac?: string }[];
    assert.deepEqual([lab?.ipAddress, lab?.infoSource, lab?.mac], ['10.10.0.5', 'domain, guest-agent', '02:00:00:00:00:01']);
    assert.equal(instance.metadata.labels?.['terrain.dev/simulated'], 'true');
    const vm = await stage.get('VirtualMachine', namespace, 'vm');
    assert.deepEqual([vm.status?.created, vm.status?.ready], [true, true]);
  });

  test('a missing network and a missing cloud-init Secret leave it in Starting without a word (0.11)', async () => {
    const namespace = await stage.namespace();
    await stage.create('VirtualMachine', namespace, 'vm', machine(wired));
    const stuck = await stage.until('VirtualMachineInstance', namespace, 'vm', isPhase('Scheduling'));
    assert.deepEqual(
      ((stuck.status?.conditions ?? []) as { type: string }[]).map(({ type }) => type),
      ['Ready'],
    );
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Starting'));
    await stage.create('NetworkAttachmentDefinition', namespace, 'lab', { spec: { config: '{}' } });
    await stage.create('Secret', namespace, 'init', { stringData: { userdata: '#cloud-config', networkdata: networkData } });
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
  });

  test('a disk that does not exist, then fills, then serves (kubevirt 6)', async () => {
    const namespace = await stage.namespace();
    await stage.create('VirtualMachine', namespace, 'vm', machine(disk('root')));
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('ErrorPvcNotFound'));
    const instance = await stage.get('VirtualMachineInstance', namespace, 'vm');
    assert.equal(
      conditionOf(instance, 'Synchronized')?.message,
      `PVC ${namespace}/root does not exist, waiting for it to appear`,
    );
    assert.deepEqual(
      [phaseOf(instance), reasonOf(instance, 'Synchronized'), reasonOf(instance, 'PodScheduled')],
      ['Pending', 'FailedPvcNotFound', 'Unschedulable'],
    );
    await stage.create('DataVolume', namespace, 'root', download());
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
    assert.ok(stage.sequence('VirtualMachine', namespace, 'vm', printed).includes('Provisioning'));
    assert.equal(reasonOf(await stage.get('VirtualMachineInstance', namespace, 'vm'), 'DataVolumesReady'), 'AllDVsReady');
  });

  test('a disk from a template is made by the machine and goes with it (kubevirt 6)', async () => {
    const namespace = await stage.namespace();
    const template = { metadata: { name: 'root' }, ...download() };
    await stage.create('VirtualMachine', namespace, 'vm', machine(disk('root'), { dataVolumeTemplates: [template] }));
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Provisioning'));
    assert.equal(await stage.find('VirtualMachineInstance', namespace, 'vm'), undefined);
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
    await stage.resource('VirtualMachine').delete({ name: 'vm', namespace }, { propagationPolicy: 'Background' });
    await stage.untilGone('VirtualMachine', namespace, 'vm');
    await stage.untilGone('DataVolume', namespace, 'root');
  });

  test('an import that fails flips DataVolumeError and Provisioning (0.12)', async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'root', download('http:404'));
    await stage.create('VirtualMachine', namespace, 'vm', machine(disk('root')));
    const flips = (): readonly string[] =>
      stage.sequence('VirtualMachine', namespace, 'vm', printed).filter((value) => value === 'DataVolumeError');
    await stage.wait(
      () => flips().length >= 2,
      () => 'DataVolumeError was not seen twice',
    );
  });

  test('stopped and started again by its run strategy (kubevirt 6)', async () => {
    const namespace = await stage.namespace();
    await stage.create('VirtualMachine', namespace, 'vm', machine());
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
    await stage.resource('VirtualMachine').mergePatch({ name: 'vm', namespace }, { spec: { runStrategy: 'Halted' } });
    await stage.untilGone('VirtualMachineInstance', namespace, 'vm');
    await stage.until(
      'VirtualMachine',
      namespace,
      'vm',
      (object) => printed(object) === 'Stopped' && object.status?.created === false,
    );
    assert.deepEqual(stage.sequence('VirtualMachine', namespace, 'vm', printed), [
      '',
      'Stopped',
      'Starting',
      'Running',
      'Stopping',
      'Stopped',
    ]);
    assert.deepEqual(stage.sequence('VirtualMachineInstance', namespace, 'vm', phaseOf).slice(-3), [
      'Running',
      'Succeeded',
      'gone',
    ]);
    await stage.resource('VirtualMachine').mergePatch({ name: 'vm', namespace }, { spec: { runStrategy: 'Always' } });
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
  });

  test('an instance deleted by hand comes back; a guest that ignores the button ends Failed (0.13, kubevirt 6)', async () => {
    const namespace = await stage.namespace();
    await stage.create('VirtualMachine', namespace, 'vm', machine({ terminationGracePeriodSeconds: 2 }), switched('ignore-acpi'));
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
    const first = await stage.get('VirtualMachineInstance', namespace, 'vm');
    await stage.resource('VirtualMachineInstance').delete({ name: 'vm', namespace });
    await stage.until(
      'VirtualMachineInstance',
      namespace,
      'vm',
      (object) => object.metadata.uid !== first.metadata.uid && phaseOf(object) === 'Running',
    );
    assert.deepEqual(stage.sequence('VirtualMachineInstance', namespace, 'vm', phaseOf).slice(4, 7), [
      'Running',
      'Failed',
      'gone',
    ]);
  });

  test('a start that fails is counted and backs off; then it works (kubevirt 6)', async () => {
    const namespace = await stage.namespace();
    await stage.create('VirtualMachine', namespace, 'vm', machine(), switched('start-fails:1'));
    const looping = await stage.until('VirtualMachine', namespace, 'vm', isPrinted('CrashLoopBackOff'));
    assert.equal((looping.status?.startFailure as { consecutiveFailCount?: number } | undefined)?.consecutiveFailCount, 1);
    const running = await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
    assert.equal(running.status?.startFailure, undefined);
    assert.ok(
      stage
        .sequence('VirtualMachineInstance', namespace, 'vm', (object) => conditionOf(object, 'Synchronized')?.reason)
        .includes('Synchronizing with the Domain failed.'),
    );
  });

  test('a change of the template while it runs asks for a restart (kubevirt 6)', async () => {
    const namespace = await stage.namespace();
    await stage.create('VirtualMachine', namespace, 'vm', machine());
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
    await stage
      .resource('VirtualMachine')
      .mergePatch({ name: 'vm', namespace }, { spec: { template: { spec: { domain: { memory: { guest: '2Gi' } } } } } });
    const asked = await stage.until(
      'VirtualMachine',
      namespace,
      'vm',
      (object) => conditionOf(object, 'RestartRequired') !== undefined,
    );
    assert.equal(
      conditionOf(asked, 'RestartRequired')?.message,
      'memory updated in template spec. Memory-hotplug is not available for this VM configuration',
    );
    const { uid } = (await stage.get('VirtualMachineInstance', namespace, 'vm')).metadata;
    const restart = { status: { stateChangeRequests: [{ action: 'Stop', uid }, { action: 'Start' }] } };
    await stage.resource('VirtualMachine').mergePatch({ name: 'vm', namespace, subresource: 'status' }, restart);
    await stage.until('VirtualMachineInstance', namespace, 'vm', (object) => object.metadata.uid !== uid);
    await stage.until(
      'VirtualMachine',
      namespace,
      'vm',
      (object) => printed(object) === 'Running' && conditionOf(object, 'RestartRequired') === undefined,
    );
  });

  test('a switch is taken away and the machine goes on; a probe decides over Ready; the pod network has an address', async () => {
    const namespace = await stage.namespace();
    const template = {
      domain: { memory: { guest: '1Gi' }, devices: { interfaces: [{ name: 'pod', masquerade: {} }] } },
      networks: [{ name: 'pod', pod: {} }],
      readinessProbe: { tcpSocket: { port: 22 } },
    };
    await stage.create('VirtualMachine', namespace, 'vm', machine(template), switched('quota;no-port'));
    await stage.until('VirtualMachine', namespace, 'vm', (object) => reasonOf(object, 'Synchronized') === 'FailedCreate');
    const flip = (switches: string | null): Promise<unknown> =>
      stage
        .resource('VirtualMachine')
        .mergePatch({ name: 'vm', namespace }, { metadata: { annotations: { 'terrain.dev/sim': switches } } });
    await flip('no-port');
    await stage.until(
      'VirtualMachine',
      namespace,
      'vm',
      (object) => printed(object) === 'Running' && reasonOf(object, 'Ready') === 'ContainersNotReady',
    );
    const instance = await stage.get('VirtualMachineInstance', namespace, 'vm');
    const [pod] = (instance.status?.interfaces ?? []) as { ipAddress?: string }[];
    assert.match(pod?.ipAddress ?? '', /^10\.42\./);
    await flip('paused');
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Paused'));
    await flip(null);
    await stage.until(
      'VirtualMachine',
      namespace,
      'vm',
      (object) => printed(object) === 'Running' && conditionOf(object, 'Ready')?.status === 'True',
    );
  });

  test('no room for it, and gone without a trace when deleted (kubevirt 6)', async () => {
    const namespace = await stage.namespace();
    await stage.create('VirtualMachine', namespace, 'vm', machine(), switched('unschedulable'));
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('ErrorUnschedulable'));
    await stage.resource('VirtualMachine').delete({ name: 'vm', namespace }, { propagationPolicy: 'Foreground' });
    await stage.untilGone('VirtualMachine', namespace, 'vm');
    assert.equal(await stage.find('VirtualMachineInstance', namespace, 'vm'), undefined);
  });

  test('a namespace full of work under way can be deleted', async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'slow', download('import:10m'));
    await stage.create('DataVolume', namespace, 'image', download('snapshot-never'));
    await stage.create('VirtualMachine', namespace, 'vm', machine());
    await stage.create('VirtualMachine', namespace, 'stuck', machine(), switched('unschedulable'));
    await stage.until('PersistentVolumeClaim', namespace, 'image', isPhase('Bound'));
    await stage.create('VolumeSnapshot', namespace, 'cut', { spec: { source: { persistentVolumeClaimName: 'image' } } });
    await stage.until('VolumeSnapshot', namespace, 'cut', (object) => object.status !== undefined);
    await stage.until('DataVolume', namespace, 'slow', isPhase('ImportInProgress'));
    await stage.until('VirtualMachine', namespace, 'vm', isPrinted('Running'));
    await stage.connection.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    const namespaces = { group: '', version: 'v1', plural: 'namespaces', namespaced: false };
    const judge = (left: KubeObject | undefined): string | undefined => (left === undefined ? undefined : JSON.stringify(left));
    await waitForObject(stage.connection, namespaces, { name: namespace }, judge, { timeoutMs: 60_000 });
  });

  test('another simulator goes on where one stopped', async () => {
    const namespace = await stage.namespace();
    await stage.create('VirtualMachine', namespace, 'vm', machine(), switched('boot:12s'));
    await stage.until('VirtualMachineInstance', namespace, 'vm', isPhase('Scheduling'));
    await stage.restartSimulator();
    await stage.until('VirtualMachine', namespace, 'vm', (object) => conditionOf(object, 'AgentConnected') !== undefined);
    assert.deepEqual(stage.sequence('VirtualMachineInstance', namespace, 'vm', phaseOf), [
      '',
      'Pending',
      'Scheduling',
      'Scheduled',
      'Running',
    ]);
  });

  const refused: Record<string, { given: object; want: string }> = {
    'both ways to run': {
      given: machine({}, { running: true }),
      want: 'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
    },
    'no way to run': { given: machine({}, { runStrategy: undefined }), want: 'RunStrategy must be specified' },
    'an unknown way to run': { given: machine({}, { runStrategy: 'Sometimes' }), want: 'Invalid RunStrategy (Sometimes)' },
    'a malformed MAC': {
      given: machine({ domain: { devices: { interfaces: [{ name: 'a', macAddress: 'zz' }] } } }),
      want: 'interface a has malformed MAC address (zz).',
    },
  };
  for (const [name, { given, want }] of Object.entries(refused))
    test(`refused as by KubeVirt's webhook: ${name} (kubevirt 6)`, async () => {
      const namespace = await stage.namespace();
      await assert.rejects(stage.create('VirtualMachine', namespace, 'vm', given), (error: Error) => {
        assert.ok(error instanceof ApiError && error.code === 422);
        assert.ok(error.message.endsWith(`denied request: ${want}`), error.message);
        return true;
      });
    });
});
