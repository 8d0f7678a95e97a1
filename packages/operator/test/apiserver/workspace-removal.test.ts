import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceType } from '@terrain/runtime';
import { type Thing, types } from './types.ts';
import {
  anImage,
  conditionOf,
  deployments,
  inNamespace,
  lab,
  networkPolicies,
  services,
  WorkspaceWorld,
  workspaces,
} from './workspace-world.ts';

test('the end of workspaces', { concurrency: true }, async (t) => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '' } });
  const { stage } = world;
  await anImage(world, 'debian');
  const cases: Promise<void>[] = [];
  const on = (name: string, work: () => Promise<void>): void => void cases.push(t.test(name, work));

  on('deleted while it waits for its image, which is then left to the image controller', async () => {
    const url = 'https://images.example.com/queued.qcow2';
    const vmDiskImageTemplate = { url, sourceType: 'http', diskSize: '1Gi' } as const;
    await world.create('patient', { ...lab, vms: [{ ...lab.vms![0]!, backingVMDiskImage: 'queued', vmDiskImageTemplate }] });
    await world.until('its image', () => stage.image('queued', 'vmdi-farm') !== undefined);
    assert.equal(stage.image('queued', 'vmdi-farm')?.metadata.labels?.['pelotech.ot/created-by'], undefined);
    await world.remove('patient');
    assert.equal(stage.image('queued', 'vmdi-farm')?.metadata.labels?.['pelotech.ot/created-by'], 'workspace.patient');
  });

  on('a namespace of somebody else is never taken over', async () => {
    const namespaces = stage.resource(types.namespaces);
    await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'workspace-taken' } });
    await world.create('taken', lab);
    const failed = await world.reason('taken', 'Ready', 'NamespaceTaken');
    assert.equal(failed.status?.phase, 'Failed');
    assert.equal((await namespaces.get({ name: 'workspace-taken' })).metadata.labels?.['pelotech.ot/workspace'], undefined);
    assert.deepEqual(world.children('taken', deployments), []);
    await stage.resource(workspaces).delete({ name: 'taken' });
    await world.until('the workspace to be gone', () => world.workspace('taken') === undefined);
    assert.equal((await namespaces.get({ name: 'workspace-taken' })).metadata.deletionTimestamp, undefined);
    await namespaces.delete({ name: 'workspace-taken' });
  });

  on('a namespace deleted by hand is made again, with all that was in it', async () => {
    await world.create('swept', lab);
    await world.phase('swept', 'Ready');
    const before = stage.informers.get<Thing>(types.namespaces).store.get('workspace-swept')?.metadata.uid;
    await stage.resource(types.namespaces).delete({ name: 'workspace-swept' });
    await world.until('another namespace', () => {
      const uid = stage.informers.get<Thing>(types.namespaces).store.get('workspace-swept')?.metadata.uid;
      return uid !== undefined && uid !== before;
    });
    await world.phase('swept', 'Ready');
    await world.until('its machine', () => world.child('swept', types.machines, 'router') !== undefined);
  });

  on('deleted while it is being stood up', async () => {
    await world.create('hasty', lab);
    await world.until('its namespace', () => stage.informers.get(types.namespaces).store.get('workspace-hasty') !== undefined);
    await world.remove('hasty');
  });

  on('what blocks a deletion is named, and all else goes on', async () => {
    await world.create('held', lab);
    await world.phase('held', 'Ready');
    const held = inNamespace('held', 'router');
    const own = world.child('held', types.machines, 'router')?.metadata.finalizers ?? [];
    const machines = stage.resource(types.machines);
    await machines.mergePatch(held, { metadata: { finalizers: [...own, 'example.com/hold'] } });
    await stage.resource(workspaces).delete({ name: 'held' });
    await world.until('its containers to be gone', () => world.children('held', deployments).length === 0);
    const blocked = await world.until('it to say what blocks', () => {
      const found = world.workspace('held');
      return conditionOf(found, 'Ready')?.reason === 'CleanupBlocked' ? found : undefined;
    });
    assert.match(blocked.status?.message ?? '', /VirtualMachine router \(finalizer [^)]*example\.com\/hold\)/);
    await machines.mergePatch(held, { metadata: { finalizers: null } });
    await world.gone('held');
  });

  await Promise.all(cases);
});

test('another operator finds nothing to do', async () => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '' } });
  const { stage } = world;
  await anImage(world, 'debian');
  await world.create('calm', lab);
  await world.phase('calm', 'Ready');
  const kinds: ResourceType[] = [deployments, services, networkPolicies, types.networks, types.claims, types.machines];
  const versions = (): string[] => [
    `${world.workspace('calm')?.metadata.resourceVersion}`,
    ...kinds.flatMap((type) =>
      world.children('calm', type).map(({ metadata }) => `${type.plural}/${metadata.name} ${metadata.resourceVersion}`),
    ),
  ];
  await stage.stopOperators();
  const before = versions();
  await stage.startOperator();
  await world.create('fence', { networks: [{ name: 'lan', cidr: '10.20.0.0/24' }] });
  await world.phase('fence', 'Ready');
  assert.deepEqual(versions(), before);
});
