import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScenario } from '@terrain/embedded/testing';
import { Observer } from '@terrain/runtime/testing';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { changeSpec, childOf, conditionOf, createMachine, machine, phase, reason, remove, until } from './vm-world.ts';

test('a running machine goes in order: KubeVirt’s machine, the configuration, the disk, itself; then its image is free', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await createMachine(stage, 'web');
  const web = await phase(stage, 'web', 'Ready');
  const kinds = [types.kubevirtMachines, types.secrets, types.dataVolumes, types.machines];
  const observer = await Observer.start({ connection: stage.connection, kinds, invariants: {} });
  try {
    await remove(stage, types.machines, 'web');
    await stage.until('it to be gone', () => machine(stage, 'web') === undefined);
    await observer.caughtUp();
    const gone = observer.history
      .filter(({ type, object }) => type === 'DELETED' && object.metadata.namespace === stage.namespace)
      .map(({ object, resource }) => `${resource.group} ${object.kind}`);
    assert.deepEqual(gone, ['kubevirt.io VirtualMachine', ' Secret', 'cdi.kubevirt.io DataVolume', 'pelotech.ot VirtualMachine']);
  } finally {
    await observer.close();
  }
  assert.equal(childOf(stage, types.dataVolumes, web), undefined);
  await stage.until('no reference', () => stage.image('debian')?.status?.references === 0);
  await remove(stage, types.images, 'debian');
  await stage.until('the image to be gone', () => stage.image('debian') === undefined);
});

test('a machine can be deleted in any state, and leaves nothing', async () => {
  const durations = {
    ...defaultScenario.durations,
    schedule: 10,
    validate: 10,
    import: 50,
    bind: 10,
    clone: 3000,
    boot: 20,
    agent: 20,
    stop: 20,
    remove: 20,
  };
  await using stage = await Stage.open({
    scenario: {
      durations,
      rules: [
        { name: 'starting', switches: new Map([['boot', '10m']]) },
        { name: 'crashing', switches: new Map([['crashloop', '']]) },
      ],
    },
    policy: { retryLimit: '0' },
  });
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.createImage('broken', { sim: 'http:404' });
  await stage.createImage('slow', { sim: 'import:10m' });
  const from = (name: string) => ({ vmDiskImageRef: { name, namespace: '' } });
  const states: Record<string, { spec: object; reached: (name: string) => Promise<unknown> }> = {
    'without-image': { spec: from('nothing'), reached: (name) => reason(stage, name, 'DiskImageMissing') },
    'while-downloading': { spec: from('slow'), reached: (name) => reason(stage, name, 'DiskImageNotReady') },
    failed: { spec: from('broken'), reached: (name) => phase(stage, name, 'Failed') },
    cloning: {
      spec: {},
      reached: (name) =>
        stage.until(`${name} to be cloned`, () => {
          const found = machine(stage, name);
          const disk = found === undefined ? undefined : childOf(stage, types.dataVolumes, found);
          return disk !== undefined && disk.status?.phase !== 'Succeeded';
        }),
    },
    starting: { spec: {}, reached: (name) => reason(stage, name, 'Starting') },
    crashing: { spec: {}, reached: (name) => reason(stage, name, 'CrashLooping') },
    stopped: { spec: { ignoreOnDeploy: true }, reached: (name) => phase(stage, name, 'Ready') },
    resetting: {
      spec: {},
      reached: async (name) => {
        await phase(stage, name, 'Ready');
        await changeSpec(stage, name, { resetToken: 'x' });
        await until(stage, name, 'reset', (found) =>
          ['Resetting', 'Cloning'].includes(conditionOf(found, 'RootDiskReady')?.reason ?? ''),
        );
      },
    },
  };
  await Promise.all(
    Object.entries(states).map(async ([name, { spec, reached }]) => {
      await createMachine(stage, name, spec);
      await reached(name);
      await remove(stage, types.machines, name);
      await stage.until(`${name} to be gone`, () => machine(stage, name) === undefined);
    }),
  );
  const ofMachines = ({ metadata }: Thing): boolean => metadata.labels?.['pelotech.ot/virtualmachine'] !== undefined;
  const left = [types.kubevirtMachines, types.secrets, types.dataVolumes].flatMap((type) =>
    stage.things(type).filter(ofMachines),
  );
  assert.deepEqual(
    left.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    [],
  );
});

test('a namespace with machines in it can be deleted', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.phase('debian', 'Succeeded');
  const lab = await stage.cluster.namespace('lab');
  const vmDiskImageRef = { name: 'debian', namespace: stage.namespace };
  await createMachine(stage, 'web', { vmDiskImageRef }, { namespace: lab });
  await createMachine(stage, 'paused', { vmDiskImageRef }, { namespace: lab, annotations: { 'pelotech.ot/paused': 'true' } });
  await phase(stage, 'web', 'Ready', lab);
  await stage.resource(types.namespaces).delete({ name: lab });
  await stage.until('the namespace to be gone', () => stage.informers.get<Thing>(types.namespaces).store.get(lab) === undefined);
  await stage.until('no reference', () => stage.image('debian')?.status?.references === 0);
});
