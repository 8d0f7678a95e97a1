import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VirtualMachine } from '@terrain/api';
import { applyManifests, type KubeObject } from '@terrain/runtime';
import { parse, parseAllDocuments } from 'yaml';
import { ignoreAbsent } from './platform.ts';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { changeSpec, childOf, conditionOf, createMachine, createNetwork, machine, phase, until } from './vm-world.ts';

const examples = join(import.meta.dirname, '../../../../examples/seeds');

interface Launched extends Thing {
  readonly spec: { readonly runStrategy: string; readonly template: { readonly spec: InstanceSpec } };
}
interface InstanceSpec {
  readonly domain: {
    readonly cpu: { readonly cores: number };
    readonly memory: { readonly guest: string };
    readonly devices: { readonly interfaces: readonly { readonly name: string; readonly macAddress: string }[] };
  };
  readonly networks: readonly { readonly multus?: { readonly networkName: string }; readonly pod?: object }[];
}

test('a machine gets its disk, its configuration and KubeVirt’s machine, and is Ready when it runs', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.phase('debian', 'Succeeded');
  await createMachine(stage, 'web');
  const web = await phase(stage, 'web', 'Ready');
  const disk = childOf(stage, types.dataVolumes, web);
  assert.equal(web.status?.rootDisk, disk?.metadata.name);
  assert.equal(disk?.status?.phase, 'Succeeded');
  const storage = disk?.spec?.storage as { resources?: unknown };
  assert.equal(storage.resources, undefined, 'a size that is asked for would be inflated');
  assert.ok(childOf(stage, types.secrets, web));
  assert.equal(childOf(stage, types.kubevirtMachines, web)?.status?.printableStatus, 'Running');
  assert.deepEqual(
    web.status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    [
      'DiskImageReady True Cloned',
      'RootDiskReady True Cloned',
      'NetworksReady True Attached',
      'Running True Running',
      'GuestReady True GuestReady',
      'Ready True Ready',
      'Reconciling False UpToDate',
      'Stalled False UpToDate',
    ],
  );
});

test('the seed as printed: made from its template, left stopped and Ready; with ignoreOnDeploy false it runs', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  const prerequisites = parseAllDocuments(readFileSync(join(examples, '00-prerequisites.yaml'), 'utf8'))
    .map((document) => document.toJS() as KubeObject)
    .filter(({ kind, metadata }) => kind !== 'ConfigMap' && metadata.name !== 'sync-operator');
  const seed = parse(readFileSync(join(examples, '002-virtualmachine.yaml'), 'utf8')) as VirtualMachine;
  await applyManifests(stage.connection, [...prerequisites, seed] as KubeObject[], { fieldManager: 'test' });
  const { name } = seed.metadata;
  const stopped = await phase(stage, name, 'Ready', 'default');
  assert.equal(conditionOf(stopped, 'Running')?.reason, 'Stopped');
  const image = stage.image('demo-vmdi', 'vmdi-farm');
  assert.equal(image?.spec.url, seed.spec.vmDiskImageTemplate?.url);
  assert.equal(image?.metadata.labels?.['pelotech.ot/created-by'], 'virtualmachine.default.demo-workspace-1');
  assert.deepEqual(image?.metadata.ownerReferences, undefined);
  assert.equal(image?.status?.references, 1);
  const machines = stage.informers.get<Launched>(types.kubevirtMachines).store;
  const { spec } = machines.get(`default/${name}`) ?? assert.fail('KubeVirt has no machine');
  assert.equal(spec.runStrategy, 'Halted');
  assert.deepEqual([spec.template.spec.domain.cpu, spec.template.spec.domain.memory], [{ cores: 2 }, { guest: '2Gi' }]);
  assert.deepEqual(
    spec.template.spec.networks.map(({ multus, pod }) => multus?.networkName ?? pod),
    ['default/control-net', 'default/bridge-inet', 'default/bridge-edge'],
  );

  await stage.resource(types.machines).mergePatch({ name, namespace: 'default' }, { spec: { ignoreOnDeploy: false } });
  const running = await until(
    stage,
    name,
    'run with its addresses',
    ({ status }) =>
      status?.phase === 'Ready' && status.interfaces?.every(({ observedAddress }) => observedAddress !== undefined) === true,
    'default',
  );
  assert.deepEqual(
    running.status?.interfaces?.map(({ network, ipAddress, observedAddress }) => `${network} ${ipAddress} ${observedAddress}`),
    [
      'control-net 10.10.0.161/24 10.10.0.161',
      'bridge-inet 4.29.163.6/28 4.29.163.6',
      'bridge-edge 172.27.11.11/28 172.27.11.11',
    ],
  );
  assert.deepEqual(
    running.status?.interfaces?.map(({ macAddress }) => macAddress),
    machines.get(`default/${name}`)?.spec.template.spec.domain.devices.interfaces.map(({ macAddress }) => macAddress),
  );

  await stage.resource(types.machines).delete({ name, namespace: 'default' });
  await stage.until('the machine to be gone', () => machine(stage, name, 'default') === undefined);
  for (const { kind, metadata } of prerequisites.filter(
    ({ kind }) => kind === 'NetworkAttachmentDefinition' || kind === 'Secret',
  )) {
    const type = kind === 'Secret' ? types.secrets : types.networks;
    await stage
      .resource(type)
      .delete({ name: metadata.name ?? '', namespace: metadata.namespace ?? 'default' })
      .catch(ignoreAbsent);
  }
});

test('power: stopped and started by powerState, also against what somebody does in KubeVirt', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await createMachine(stage, 'web');
  const web = await phase(stage, 'web', 'Ready');
  await changeSpec(stage, 'web', { powerState: 'Stopped' });
  await until(
    stage,
    'web',
    'be stopped',
    (found) => conditionOf(found, 'Running')?.reason === 'Stopped' && found.status?.phase === 'Ready',
  );
  assert.equal(childOf(stage, types.kubevirtMachines, web)?.spec?.runStrategy, 'Halted');
  const strategy = (runStrategy: string): Promise<unknown> =>
    stage.resource(types.kubevirtMachines).mergePatch({ name: 'web', namespace: stage.namespace }, { spec: { runStrategy } });
  await strategy('Always');
  await stage.until('it to be stopped again', () => childOf(stage, types.kubevirtMachines, web)?.spec?.runStrategy === 'Halted');
  await until(stage, 'web', 'be stopped', ({ status }) => status?.kubevirt?.printableStatus === 'Stopped');
  await changeSpec(stage, 'web', { powerState: 'Running' });
  await until(stage, 'web', 'run', (found) => conditionOf(found, 'Running')?.status === 'True');
});

test('guest readiness by its agent, and a change that waits for the next stop', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await createNetwork(stage, 'lan', { cidr: '10.1.0.0/24' });
  await createMachine(stage, 'web', {
    guestReadiness: { mode: 'Agent' },
    interfaces: [{ network: 'lan', ipAddress: '10.1.0.7/24' }],
  });
  const web = await phase(stage, 'web', 'Ready');
  assert.equal(conditionOf(web, 'GuestReady')?.message, 'the guest agent has connected');
  await changeSpec(stage, 'web', { resources: { memory: '3Gi' } });
  const waiting = await until(
    stage,
    'web',
    'ask for a restart',
    (found) => conditionOf(found, 'Running')?.reason === 'RestartRequired',
  );
  assert.deepEqual([waiting.status?.phase, conditionOf(waiting, 'Running')?.status], ['Ready', 'True']);
  assert.equal(
    childOf(stage, types.kubevirtInstances, childOf(stage, types.kubevirtMachines, web) ?? web)?.metadata.deletionTimestamp,
    undefined,
  );
  await changeSpec(stage, 'web', { powerState: 'Stopped' });
  await until(stage, 'web', 'be stopped', (found) => conditionOf(found, 'Running')?.reason === 'Stopped');
  await changeSpec(stage, 'web', { powerState: 'Running' });
  await until(stage, 'web', 'run as asked', (found) => conditionOf(found, 'Running')?.reason === 'Running');
});
