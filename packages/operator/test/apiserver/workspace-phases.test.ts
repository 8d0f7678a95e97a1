import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkspaceSpec } from '@terrain/api';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { type Thing, types } from './types.ts';
import { anImage, deployments, isLater, lab, networkPolicies, services, WorkspaceWorld } from './workspace-world.ts';

const childTypes: readonly ResourceType[] = [
  networkPolicies,
  types.networks,
  types.claims,
  types.secrets,
  types.machines,
  services,
  deployments,
];
const label = 'pelotech.ot/workspace';

/** With a Secret, so that there is one object of every kind. */
const complete: WorkspaceSpec = { ...lab, vms: [{ ...lab.vms![0]!, users: [{ name: 'demo', plain_text_passwd: 'secret' }] }] };
const waiting: WorkspaceSpec = { ...complete, vms: [{ ...complete.vms![0]!, backingVMDiskImage: 'slow' }] };
const broken: WorkspaceSpec = {
  ...complete,
  containerClusters: [
    { ...lab.containerClusters![0]!, containers: [{ name: 'nginx', image: 'broken:1', portMappings: [{ containerPort: 80 }] }] },
  ],
};

const allKinds = [
  'NetworkPolicy',
  'NetworkAttachmentDefinition',
  'PersistentVolumeClaim',
  'Secret',
  'VirtualMachine',
  'Service',
  'Deployment',
];

/** A lab in each phase, how far it gets, and of what kinds its children are then. */
const phases: Readonly<Record<string, { spec: WorkspaceSpec; phase: string; ready: string; kinds: readonly string[] }>> = {
  provisioning: {
    spec: waiting,
    phase: 'Provisioning',
    ready: '2/5',
    kinds: ['NetworkPolicy', 'NetworkAttachmentDefinition', 'PersistentVolumeClaim'],
  },
  failed: {
    spec: broken,
    phase: 'Failed',
    ready: '4/5',
    kinds: allKinds,
  },
  ready: {
    spec: complete,
    phase: 'Ready',
    ready: '5/5',
    kinds: allKinds,
  },
};

test('each child is deleted and edited in each phase', { concurrency: true }, async (t) => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '' } });
  world.brokenImages.add('broken:1');
  await anImage(world, 'debian');
  await anImage(world, 'slow', { annotations: { 'pelotech.ot/paused': 'true' } });
  const find = (name: string, type: ResourceType, child: string): Thing | undefined => world.child(name, type, child);

  await Promise.all(
    Object.entries(phases).map(([name, { spec, phase, ready, kinds }]) =>
      t.test(name, async () => {
        await world.create(name, spec);
        const isAtRest = (): Promise<unknown> =>
          world.settled(name, `be ${phase} with ${ready}`, ({ status }) => status?.phase === phase && status.ready === ready);
        await isAtRest();
        const uid = world.workspace(name)?.metadata.uid;
        const own = childTypes.flatMap((type) =>
          world
            .children(name, type)
            .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
            .map((object) => ({ type, object })),
        );
        assert.deepEqual([...new Set(own.map(({ object }) => object.kind))], kinds);
        // One after the other: the news of one child would heal the others along with it.
        for (const { type, object } of own) {
          const { kind, metadata } = object;
          const at = { name: metadata.name ?? '', namespace: metadata.namespace };
          const patched = await world.stage
            .resource(type)
            .mergePatch(at, { metadata: { labels: { [label]: 'stolen' } } } as Partial<KubeObject>);
          await world.until(`${kind} ${at.name} of ${name} to be put right`, () => {
            const now = find(name, type, at.name)?.metadata;
            return now?.labels?.[label] === name && isLater(now, patched.metadata);
          });
          const before = find(name, type, at.name)?.metadata.uid;
          await world.stage.resource(type).delete(at);
          await world.until(`${kind} ${at.name} of ${name} to be back`, () => {
            const now = find(name, type, at.name)?.metadata.uid;
            return now !== undefined && now !== before;
          });
        }
        await isAtRest();
      }),
    ),
  );
});
