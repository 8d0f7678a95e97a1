import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { types } from './types.ts';
import {
  anImage,
  conditionOf,
  deployments,
  inNamespace,
  jobs,
  lab,
  networkPolicies,
  services,
  WorkspaceWorld,
  workspaces,
} from './workspace-world.ts';

const bridgeOf = (world: WorkspaceWorld, workspace: string): string =>
  (JSON.parse(String(world.child(workspace, types.networks, 'lan')?.spec?.config)) as { bridge: string }).bridge;

test('workspaces', { concurrency: true }, async (t) => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '' } });
  const { stage } = world;
  await anImage(world, 'debian');
  const cases: Promise<void>[] = [];
  const on = (name: string, work: () => Promise<void>): void => void cases.push(t.test(name, work));

  on('two with the same networks stand side by side, on bridges of their own', async () => {
    await Promise.all([world.create('twin-a', lab), world.create('twin-b', lab)]);
    await Promise.all([world.phase('twin-a', 'Ready'), world.phase('twin-b', 'Ready')]);
    assert.notEqual(bridgeOf(world, 'twin-a'), bridgeOf(world, 'twin-b'));
  });

  on('launched before its image is synced: grounds are laid, the rest waits, and comes up by itself', async () => {
    await anImage(world, 'late', { annotations: { 'pelotech.ot/paused': 'true' } });
    await world.create('early', { ...lab, vms: [{ ...lab.vms![0]!, backingVMDiskImage: 'late' }] });
    const waiting = await world.settled('early', 'wait for its image', ({ status }) => status?.ready === '2/5');
    assert.deepEqual(
      waiting.status?.components?.map(({ kind, phase }) => `${kind} ${phase}`),
      [
        'VMDiskImage Provisioning',
        'Network Ready',
        'Volume Ready',
        'VirtualMachine Provisioning',
        'ContainerCluster Provisioning',
      ],
    );
    assert.equal(conditionOf(waiting, 'Ready')?.reason, 'DiskImagesNotReady');
    assert.deepEqual([world.children('early', types.machines), world.children('early', deployments)], [[], []]);
    await stage
      .resource(types.images)
      .mergePatch({ name: 'late', namespace: 'vmdi-farm' }, { metadata: { annotations: { 'pelotech.ot/paused': null } } });
    await world.phase('early', 'Ready');
  });

  on('what is removed by hand comes back', async () => {
    await world.create('healing', lab);
    await world.phase('healing', 'Ready');
    const removed: [ResourceType, string][] = [
      [types.machines, 'router'],
      [deployments, 'web'],
      [services, 'web'],
      [networkPolicies, 'workspace-isolation'],
      [types.networks, 'lan'],
      [types.claims, 'data-volume'],
    ];
    await Promise.all(
      removed.map(async ([type, name]) => {
        const before = world.child('healing', type, name)?.metadata.uid;
        assert.ok(before !== undefined, `${type.plural} ${name}`);
        await stage.resource(type).delete(inNamespace('healing', name));
        await world.until(`${type.plural} ${name} to be back`, () => {
          const uid = world.child('healing', type, name)?.metadata.uid;
          return uid !== undefined && uid !== before;
        });
      }),
    );
    await world.phase('healing', 'Ready');
  });

  on('what is edited by hand is put right', async () => {
    await world.create('edited', lab);
    await world.phase('edited', 'Ready');
    const patch = (type: ResourceType, name: string, body: unknown): Promise<unknown> =>
      stage.resource(type).mergePatch(inNamespace('edited', name), body as Partial<KubeObject>);
    await patch(deployments, 'web', { spec: { replicas: 3 } });
    await patch(networkPolicies, 'workspace-isolation', { spec: { ingress: [{}] } });
    await patch(types.machines, 'router', { spec: { resources: { memory: '7Gi' } } });
    await world.until('all to be as asked', () => {
      const replicas = world.child('edited', deployments, 'web')?.spec?.replicas;
      const ingress = JSON.stringify(world.child('edited', networkPolicies, 'workspace-isolation')?.spec?.ingress);
      const { memory } = (world.child('edited', types.machines, 'router')?.spec?.resources ?? {}) as { memory?: string };
      return replicas === 1 && ingress === '[{"from":[{"podSelector":{}}]}]' && memory === '1Gi';
    });
  });

  on('an invalid one lists all its problems, and makes nothing', async () => {
    await world.create('invalid', {
      ...lab,
      vms: [{ ...lab.vms![0]!, interfaces: [{ network: 'lan', ipAddress: '10.20.0.255/24' }] }],
      networks: [
        { name: 'lan', cidr: '10.20.0.0/24' },
        { name: 'wan', cidr: '10.20.0.128/25' },
      ],
    });
    const invalid = await world.reason('invalid', 'Valid', 'Invalid');
    const { message = '' } = conditionOf(invalid, 'Valid') ?? {};
    assert.match(message, /10\.20\.0\.255\/24/);
    assert.match(message, /spec\.networks\[1\]\.cidr is "10\.20\.0\.128\/25", but it overlaps network lan/);
    assert.equal(invalid.status?.phase, 'Failed');
    assert.equal(stage.informers.get(types.namespaces).store.get('workspace-invalid'), undefined);
    await world.remove('invalid');
  });

  on('an image nobody knows where to find is asked for, and both ways out are named', async () => {
    await world.create('unknown', { ...lab, vms: [{ ...lab.vms![0]!, backingVMDiskImage: 'nowhere' }] });
    const failed = await world.phase('unknown', 'Failed');
    assert.equal(conditionOf(failed, 'Ready')?.reason, 'DiskImageSourceUnknown');
    assert.match(failed.status?.message ?? '', /add vmDiskImageTemplate to machine router, or set imageUrlTemplate/);
    await world.remove('unknown');
  });

  on('a change of one entry touches only that one', async () => {
    await world.create('changing', lab);
    await world.phase('changing', 'Ready');
    const before = world.child('changing', deployments, 'web')?.metadata.generation;
    const added = { name: 'db', containers: [{ name: 'db', image: 'postgres:17' }] };
    const [web] = lab.containerClusters!;
    const set = (containerClusters: unknown): Promise<unknown> =>
      stage.resource(workspaces).mergePatch({ name: 'changing' }, { spec: { containerClusters } });
    await set([web, added]);
    await world.settled('changing', 'have six parts', ({ status }) => status?.ready === '6/6');
    await set([web]);
    await world.settled('changing', 'have five parts', ({ status }) => status?.ready === '5/5');
    await world.until('the other to be gone', () => world.child('changing', deployments, 'db') === undefined);
    assert.equal(world.child('changing', deployments, 'web')?.metadata.generation, before);
  });

  on('stopped and started as a whole', async () => {
    await world.create('power', { ...lab, powerState: 'Stopped' });
    const stopped = await world.phase('power', 'Ready');
    assert.equal(conditionOf(stopped, 'Ready')?.reason, 'Stopped');
    const replicas = (): unknown => world.child('power', deployments, 'web')?.spec?.replicas;
    const machine = (): unknown => world.child('power', types.machines, 'router')?.spec?.powerState;
    assert.deepEqual([replicas(), machine()], [0, 'Stopped']);
    await stage.resource(workspaces).mergePatch({ name: 'power' }, { spec: { powerState: 'Running' } });
    await world.reason('power', 'Ready', 'Ready');
    assert.deepEqual([replicas(), machine()], [1, undefined]);
  });

  on('a password in plain text is passed on in a Secret only', async () => {
    const users = [{ name: 'demo user', plain_text_passwd: 'correct horse', lock_passwd: false }];
    await world.create('secretive', { ...lab, vms: [{ ...lab.vms![0]!, users }] });
    await world.phase('secretive', 'Ready');
    const made = world.child('secretive', types.machines, 'router')?.spec?.users as readonly {
      readonly passwordSecretRef: { readonly name: string; readonly key: string };
    }[];
    const { name, key } = made[0]!.passwordSecretRef;
    const secret = world.child('secretive', types.secrets, name);
    assert.equal(Buffer.from(secret?.data?.[key] ?? '', 'base64').toString(), 'correct horse');
    assert.doesNotMatch(JSON.stringify(made), /correct horse/);
  });

  on('a container that cannot start is named, and starts when corrected', async () => {
    world.brokenImages.add('missing:1');
    const cluster = (image: string) => [{ name: 'web', containers: [{ name: 'nginx', image }] }];
    await world.create('failing', { ...lab, containerClusters: cluster('missing:1') });
    const failed = await world.reason('failing', 'Ready', 'ContainersFailed');
    assert.match(failed.status?.message ?? '', /ContainerCluster web: container nginx: ImagePullBackOff/);
    await world.phase('failing', 'Failed');
    await stage.resource(workspaces).mergePatch({ name: 'failing' }, { spec: { containerClusters: cluster('nginx:1') } });
    await world.phase('failing', 'Ready');
  });

  on('a volume is filled once, before anything mounts it', async () => {
    const containers = [{ name: 'nginx', image: 'nginx:1', volumeMounts: [{ name: 'data', containerPath: '/data' }] }];
    await world.create('filled', {
      ...lab,
      contentImage: 'content:1',
      volumes: [{ name: 'data', size: '1Gi', localPath: '/config' }],
      containerClusters: [{ name: 'web', containers }],
    });
    await world.phase('filled', 'Ready');
    const claim = world.child('filled', types.claims, 'data-volume');
    assert.equal(claim?.metadata.annotations?.['pelotech.ot/filled'], 'content:1/config');
    await world.until('the Job to be gone', () => world.children('filled', jobs).length === 0);
    assert.equal((await world.phase('filled', 'Ready')).status?.ready, '5/5');
  });

  await Promise.all(cases);
});
