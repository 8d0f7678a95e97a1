import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScenario } from '@terrain/embedded/testing';
import { compareVersions, type ResourceType } from '@terrain/runtime';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { changeSpec, childOf, conditionOf, createMachine, createNetwork, machine, phase, remove, until } from './vm-world.ts';

const children = {
  'the guest’s configuration': types.secrets,
  'KubeVirt’s machine': types.kubevirtMachines,
  'the root disk': types.dataVolumes,
} as const satisfies Record<string, ResourceType>;

/** Deletes the child of a machine, and waits until there is another. */
async function deleteChild(stage: Stage, name: string, type: ResourceType): Promise<Thing> {
  const made = await stage.until(`machine ${name}`, () => machine(stage, name));
  // KubeVirt's machine is what its instance belongs to.
  const owner =
    type === types.kubevirtInstances
      ? await stage.until(`KubeVirt’s ${name}`, () => childOf(stage, types.kubevirtMachines, made))
      : made;
  const child = await stage.until(`a child of ${name}`, () => childOf(stage, type, owner));
  await remove(stage, type, child.metadata.name ?? '');
  return stage.until(`${child.kind} ${child.metadata.name} to be back`, () => {
    const found = childOf(stage, type, owner);
    return found !== undefined && found.metadata.uid !== child.metadata.uid && found.metadata.deletionTimestamp === undefined
      ? found
      : undefined;
  });
}

test('whatever of a running machine somebody deletes is back', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await createMachine(stage, 'web');
  await phase(stage, 'web', 'Ready');
  for (const [what, type] of Object.entries(children)) {
    await deleteChild(stage, 'web', type);
    await until(
      stage,
      'web',
      `be Ready after ${what}`,
      ({ status }) => status?.phase === 'Ready' && status.rootDisk !== undefined,
    );
  }
});

test('whatever somebody deletes while a machine is on its way is back, and it arrives', async () => {
  const durations = {
    ...defaultScenario.durations,
    schedule: 20,
    validate: 20,
    import: 100,
    clone: 1500,
    boot: 1500,
    agent: 50,
    stop: 1500,
  };
  await using stage = await Stage.open({ scenario: { durations } });
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.phase('debian', 'Succeeded');
  const onTheWay: Record<string, ResourceType> = {
    'cloning-disk': types.dataVolumes,
    'starting-secret': types.secrets,
    'starting-machine': types.kubevirtMachines,
    'starting-disk': types.dataVolumes,
    'starting-instance': types.kubevirtInstances,
    'stopped-secret': types.secrets,
    'stopped-machine': types.kubevirtMachines,
    'stopped-disk': types.dataVolumes,
    'stopping-secret': types.secrets,
    'stopping-machine': types.kubevirtMachines,
  };
  await Promise.all(
    Object.entries(onTheWay).map(async ([name, type]) => {
      const owner = await createMachine(stage, name, { ignoreOnDeploy: name.startsWith('stopped') });
      if (name.startsWith('stopp')) await phase(stage, name, 'Ready');
      if (name.startsWith('stopping')) {
        await changeSpec(stage, name, { powerState: 'Stopped' });
        await stage.until(
          `${name} to stop`,
          () => childOf(stage, types.kubevirtMachines, owner)?.status?.printableStatus === 'Stopping',
        );
      }
      if (name.startsWith('starting'))
        await stage.until(
          `${name} to start`,
          () => childOf(stage, types.kubevirtMachines, owner)?.status?.printableStatus === 'Starting',
        );
      await deleteChild(stage, name, type);
      await phase(stage, name, 'Ready');
    }),
  );
});

test('what somebody changes is put right; what KubeVirt and others add stays', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await createNetwork(stage, 'lan', { cidr: '10.1.0.0/24' });
  await createMachine(stage, 'web', { interfaces: [{ network: 'lan', ipAddress: '10.1.0.7/24' }], ignoreOnDeploy: true });
  const web = await phase(stage, 'web', 'Ready');
  const kubevirt = (): Thing => childOf(stage, types.kubevirtMachines, web) ?? assert.fail('there is no machine');
  const secret = (): Thing => childOf(stage, types.secrets, web) ?? assert.fail('there is no Secret');
  const memory = (): unknown =>
    (kubevirt().spec as { template: { spec: { domain: { memory: unknown } } } }).template.spec.domain.memory;
  const wanted = memory();
  const written = secret().data;
  /** Changes an object as a person would, and waits until somebody else has written it after that. */
  const spoil = async (type: ResourceType, look: () => Thing, patch: object): Promise<void> => {
    const { name = '' } = look().metadata;
    const spoilt = await stage.resource(type).mergePatch({ name, namespace: stage.namespace }, patch);
    await stage.until(`${name} to be written again`, () => {
      const { resourceVersion = '0' } = look().metadata;
      return compareVersions(resourceVersion, spoilt.metadata.resourceVersion ?? '0') > 0;
    });
  };
  await spoil(types.kubevirtMachines, kubevirt, {
    metadata: { annotations: { 'example.com/note': 'mine' } },
    spec: { template: { spec: { domain: { memory: { guest: '64Gi' } } } } },
  });
  await stage.until('the memory to be as asked for', () => JSON.stringify(memory()) === JSON.stringify(wanted));
  assert.equal(kubevirt().metadata.annotations?.['example.com/note'], 'mine');
  await spoil(types.secrets, secret, { data: { userdata: Buffer.from('#cloud-config').toString('base64') } });
  await stage.until('the configuration to be as asked for', () => secret().data?.userdata === written?.userdata);

  await stage
    .resource(types.networks)
    .mergePatch(
      { name: 'lan', namespace: stage.namespace },
      { metadata: { annotations: { 'pelotech.ot/network': '{"cidr":"10.1.0.0/24","gateway":"10.1.0.1"}' } } },
    );
  await stage.until('the new route', () =>
    Buffer.from(secret().data?.networkdata ?? '', 'base64')
      .toString()
      .includes('10.1.0.1'),
  );
  await changeSpec(stage, 'web', { users: [{ name: 'ada' }] });
  await stage.until('the new user', () =>
    Buffer.from(secret().data?.userdata ?? '', 'base64')
      .toString()
      .includes('ada'),
  );
});

test('nothing is asked and nothing is written when nothing changes; a pause stops all work and says so', async () => {
  await using stage = await Stage.open();
  const proxy = await stage.proxy();
  await stage.startOperator({ through: proxy.credentials });
  await stage.createImage('debian');
  await createMachine(stage, 'web');
  const web = await phase(stage, 'web', 'Ready');
  await stage.until('the reference', () => stage.image('debian')?.status?.references === 1);
  await stage.annotate('debian', { 'example.com/note': 'x' });
  await stage
    .resource(types.machines)
    .mergePatch({ name: 'web', namespace: stage.namespace }, { metadata: { annotations: { note: 'x' } } });
  proxy.log.clear();
  // Whatever that woke is over when a machine made later is Ready.
  await createMachine(stage, 'later');
  await phase(stage, 'later', 'Ready');
  const about = proxy.log.requests.filter(
    ({ name }) => name === 'web' || name === web.status?.rootDisk || name === 'web-cloudinit',
  );
  assert.deepEqual(about, []);

  await stage.stopOperators();
  const next = await stage.proxy();
  await stage.startOperator({ through: next.credentials });
  await createMachine(stage, 'latest');
  await phase(stage, 'latest', 'Ready');
  const repeated = next.log.requests.filter(({ name, verb }) => name?.startsWith('web') === true && verb !== 'watch');
  assert.deepEqual(repeated, [], 'also a restart asks and writes nothing about a machine that is as it should be');

  const annotate = (paused: string | null): Promise<unknown> =>
    stage
      .resource(types.machines)
      .mergePatch({ name: 'web', namespace: stage.namespace }, { metadata: { annotations: { 'pelotech.ot/paused': paused } } });
  await annotate('true');
  await until(
    stage,
    'web',
    'say that it is paused',
    ({ status }) => status?.message?.includes('paused by the annotation') === true,
  );
  await remove(stage, types.secrets, 'web-cloudinit');
  await createMachine(stage, 'last');
  await phase(stage, 'last', 'Ready');
  assert.equal(childOf(stage, types.secrets, web), undefined);
  await annotate(null);
  await stage.until('the Secret to be back', () => childOf(stage, types.secrets, web));
  await until(
    stage,
    'web',
    'be Ready',
    (found) => conditionOf(found, 'Ready')?.reason === 'Ready' && found.status?.message === 'the machine runs',
  );
});
