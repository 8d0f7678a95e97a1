import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workspace, WorkspaceSpec } from '@terrain/api';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { type Thing, types } from './types.ts';
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

const template = (name: string, sim = ''): Pick<WorkspaceSpec, 'vms'> => {
  const url = `https://images.example.com/${name}.qcow2${sim}`;
  const vmDiskImageTemplate = { url, sourceType: 'http' as const, diskSize: '1Gi' };
  return { vms: [{ ...lab.vms![0]!, backingVMDiskImage: name, vmDiskImageTemplate }] };
};
const messageOf = (found: Workspace, kind: string): string =>
  found.status?.components?.find((component) => component.kind === kind)?.message ?? '';

test('trouble with single parts', { concurrency: true }, async (t) => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '', templateImageTTL: '1s' } });
  const { stage } = world;
  await anImage(world, 'debian');
  const cases: Promise<void>[] = [];
  const on = (name: string, work: () => Promise<void>): void => void cases.push(t.test(name, work));

  on('every kind of child edited by hand is put right', async () => {
    const users = [{ name: 'demo', plain_text_passwd: 'secret' }];
    await world.create('bent', { ...lab, vms: [{ ...lab.vms![0]!, users }] });
    await world.phase('bent', 'Ready');
    const { ports = [] } = (world.child('bent', services, 'web')?.spec ?? {}) as { ports?: object[] };
    const elsewhere = ports.map((port) => ({ ...port, targetPort: 1 }));
    const edits: [ResourceType, string, unknown, (object: Thing) => unknown][] = [
      [services, 'web', { spec: { ports: elsewhere } }, ({ spec }) => spec?.ports],
      [types.networks, 'lan', { spec: { config: '{}' } }, ({ spec }) => spec?.config],
      [
        types.claims,
        'data-volume',
        { metadata: { labels: { 'pelotech.ot/workspace': 'x' } } },
        ({ metadata }) => metadata.labels,
      ],
      [types.secrets, 'router-passwords', { data: { demo: 'eA==' } }, ({ data }) => data],
      [deployments, 'web', { spec: { template: { spec: { automountServiceAccountToken: true } } } }, ({ spec }) => tokenOf(spec)],
      [networkPolicies, 'workspace-isolation', { spec: { egress: [{}] } }, ({ spec }) => spec?.egress],
    ];
    await Promise.all(
      edits.map(async ([type, name, edit, look]) => {
        const known = world.child('bent', type, name) ?? assert.fail(`${type.plural} ${name}`);
        await stage.resource(type).mergePatch(inNamespace('bent', name), edit as Partial<KubeObject>);
        await world.until(`${type.plural} ${name} to be as asked`, () => {
          const now = world.child('bent', type, name);
          const isLater = now !== undefined && now.metadata.resourceVersion !== known.metadata.resourceVersion;
          return isLater && JSON.stringify(look(now)) === JSON.stringify(look(known));
        });
      }),
    );
    const namespaces = stage.resource(types.namespaces);
    const label = 'pod-security.kubernetes.io/enforce';
    await namespaces.mergePatch({ name: 'workspace-bent' }, { metadata: { labels: { [label]: 'privileged' } } });
    const labels = (): unknown =>
      stage.informers.get<Thing>(types.namespaces).store.get('workspace-bent')?.metadata.labels?.[label];
    await world.until('the namespace to be guarded again', () => labels() === 'baseline');
  });

  on('children removed while it waits for its image are back before it goes on', async () => {
    await anImage(world, 'slow', { annotations: { 'pelotech.ot/paused': 'true' } });
    await world.create('robbed', { ...lab, vms: [{ ...lab.vms![0]!, backingVMDiskImage: 'slow' }] });
    await world.settled('robbed', 'wait', ({ status }) => status?.ready === '2/5');
    const removed: [ResourceType, string][] = [
      [networkPolicies, 'workspace-isolation'],
      [types.networks, 'lan'],
      [types.claims, 'data-volume'],
    ];
    await Promise.all(
      removed.map(async ([type, name]) => {
        const before = world.child('robbed', type, name)?.metadata.uid;
        await stage.resource(type).delete(inNamespace('robbed', name));
        await world.until(`${type.plural} ${name} to be back`, () => {
          const uid = world.child('robbed', type, name)?.metadata.uid;
          return uid !== undefined && uid !== before;
        });
      }),
    );
    const paused = { metadata: { annotations: { 'pelotech.ot/paused': null } } };
    await stage.resource(types.images).mergePatch({ name: 'slow', namespace: 'vmdi-farm' }, paused);
    await world.phase('robbed', 'Ready');
  });

  on('an image that fails is quoted; corrected, the lab comes up', async () => {
    await world.create('imageless', { ...lab, ...template('broken', '?sim=http:404') });
    const failed = await world.phase('imageless', 'Failed');
    assert.equal(conditionOf(failed, 'Ready')?.reason, 'DiskImagesFailed');
    assert.match(messageOf(failed, 'VMDiskImage'), /VMDiskImage vmdi-farm\/broken failed: .*404/);
    const spec = { url: 'https://images.example.com/broken.qcow2' };
    await stage.resource(types.images).mergePatch({ name: 'broken', namespace: 'vmdi-farm' }, { spec });
    await world.phase('imageless', 'Ready');
  });

  on('a machine that cannot be stood up is quoted; given what it lacks, it comes up', async () => {
    const users = [{ name: 'ada', passwordSecretRef: { name: 'keys', key: 'ada' } }];
    await world.create('locked', { ...lab, vms: [{ ...lab.vms![0]!, users }] });
    const waiting = await world.settled('locked', 'name the key', (found) =>
      /Secret keys/.test(messageOf(found, 'VirtualMachine')),
    );
    assert.equal(waiting.status?.ready, '4/5', 'the others are not held up');
    const metadata = inNamespace('locked', 'keys');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: { ada: 'b3BlbnNlc2FtZQ==' } };
    await stage.resource<KubeObject>(types.secrets).create(secret as KubeObject);
    await world.phase('locked', 'Ready');
  });

  on('content that cannot be pulled is named, and another source is taken', async () => {
    world.brokenImages.add('content:broken');
    const volumes = [{ name: 'data', size: '1Gi', localPath: '/config' }];
    await world.create('empty', { volumes, contentImage: 'content:broken' });
    const failed = await world.phase('empty', 'Failed');
    assert.match(messageOf(failed, 'Volume'), /cannot be filled from content:broken\/config: container fill: ImagePullBackOff/);
    await stage.resource(workspaces).mergePatch({ name: 'empty' }, { spec: { contentImage: 'content:2' } });
    await world.phase('empty', 'Ready');
    const claim = world.child('empty', types.claims, 'data-volume');
    assert.equal(claim?.metadata.annotations?.['pelotech.ot/filled'], 'content:2/config');
    await world.until('the Job to be gone', () => world.children('empty', jobs).length === 0);
  });

  on('an image two labs share goes with the last of them', async () => {
    await Promise.all(['first', 'second'].map((name) => world.create(name, { ...lab, ...template('shared') })));
    await Promise.all(['first', 'second'].map((name) => world.phase(name, 'Ready')));
    const image = (): unknown => stage.image('shared', 'vmdi-farm');
    await world.remove('first');
    await world.until('one machine to be counted', () => stage.image('shared', 'vmdi-farm')?.status?.references === 1);
    await world.remove('second');
    await world.until('the image to be gone', () => image() === undefined);
  });

  await Promise.all(cases);
});

const tokenOf = (spec: Thing['spec']): unknown =>
  (spec?.template as { spec?: { automountServiceAccountToken?: boolean } } | undefined)?.spec?.automountServiceAccountToken;

test('a lab of 20 machines, 20 clusters and 10 networks', async () => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '' } });
  await anImage(world, 'debian');
  const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const card = (index: number, host: number) => [
    { network: `net-${index % 10}`, ipAddress: `10.${index % 10}.0.${host + Math.floor(index / 10)}/24` },
  ];
  await world.create('large', {
    networks: range(10).map((index) => ({ name: `net-${index}`, cidr: `10.${index}.0.0/24` })),
    vms: range(20).map((index) => ({
      name: `vm-${index}`,
      backingVMDiskImage: 'debian',
      resources: { cpu: '1', memory: '1Gi' },
      interfaces: card(index, 10),
    })),
    containerClusters: range(20).map((index) => ({
      name: `app-${index}`,
      interfaces: card(index, 20),
      containers: [{ name: 'app', image: 'app:1', portMappings: [{ containerPort: 80 }] }],
    })),
  });
  const ready = await world.phase('large', 'Ready');
  assert.equal(ready.status?.ready, '51/51');
  assert.deepEqual(
    [types.machines, deployments, services, types.networks].map((type) => world.children('large', type).length),
    [20, 20, 20, 20],
  );
});
