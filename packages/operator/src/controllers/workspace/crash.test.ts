import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkspaceSpec } from '@terrain/api';
import type { FaultPlan } from '@terrain/runtime/testing';
import { imageType, machineType, workspaceType } from '#controllers/shared/kind.ts';
import { namespaceType } from '#platform/core.ts';
import { deploymentType } from '#platform/workload.ts';
import { WorkspaceRig } from '#testing/workspace-rig.ts';
import { childTypes } from './children.ts';

const lab: WorkspaceSpec = {
  vms: [
    {
      name: 'router',
      backingVMDiskImage: 'debian',
      resources: { cpu: '1', memory: '1Gi' },
      users: [{ name: 'demo', plain_text_passwd: 'secret' }],
    },
  ],
  containerClusters: [{ name: 'web', containers: [{ name: 'nginx', image: 'nginx:1', portMappings: [{ containerPort: 80 }] }] }],
  networks: [{ name: 'lan', cidr: '10.20.0.0/24' }],
  volumes: [{ name: 'data', size: '1Gi' }],
};

/** A whole life, with what it left behind at its height and at its end. */
async function life(plan: FaultPlan): Promise<{ height: string[]; creations: number; lives: number }> {
  await using rig = await WorkspaceRig.start({ imageUrlTemplate: 'https://images.example.com/{name}.qcow2' }, plan);
  await rig.create('demo', lab);
  await rig.until('image', () => rig.names(imageType).includes('debian'));
  await rig.syncImage('debian');
  await rig.until('machine and Deployment', () => rig.names(machineType).length + rig.names(deploymentType).length === 2);
  await rig.standUp();
  await rig.reason('demo', 'Ready');
  const height = childTypes.flatMap((type) => rig.names(type).map((name) => `${type.plural}/${name}`));
  const creations = rig.fake.log.requests.filter(
    ({ verb, code, resource }) => verb === 'create' && code === 201 && resource !== 'events',
  ).length;
  await rig.resource(workspaceType).delete({ name: 'demo' });
  await rig.until('end of the machine', () => {
    const machine = rig.objects(machineType)[0];
    return machine === undefined || machine.metadata.deletionTimestamp !== undefined;
  });
  for (const { metadata } of rig.objects(machineType))
    await rig
      .resource(machineType)
      .mergePatch({ name: metadata.name ?? '', namespace: metadata.namespace }, { metadata: { finalizers: null } });
  await rig.until('end', () => rig.workspace('demo') === undefined && !rig.names(namespaceType).includes('workspace-demo'));
  return { height, creations, lives: rig.lives };
}

const write = { verb: 'write', not: { resource: 'events' } } as const;

/** All writes of the way up, and some of the way down; `TERRAIN_FAULTS=all` tries each, otherwise every third. */
const deaths = Array.from({ length: 20 }, (_, index) => index + 1).filter(
  (nth) => process.env.TERRAIN_FAULTS === 'all' || nth % 3 === 1,
);

for (const [when, words] of [
  ['before', 'before it is carried out'],
  ['applied', 'before it hears of it'],
] as const)
  test(`a process that dies at any write, ${words}, changes nothing`, async () => {
    const calm = await life({ rules: [] });
    assert.equal(calm.lives, 1);
    const nths = deaths.values();
    const lives: number[] = [];
    const worker = async (): Promise<void> => {
      for (const nth of nths) {
        const died = await life({ rules: [{ on: 'request', match: write, nth, do: { fault: 'kill-client', when } }] });
        assert.deepEqual([died.height, died.creations], [calm.height, calm.creations], `death at write ${nth}`);
        lives.push(died.lives);
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    assert.deepEqual(
      lives.filter((count) => count !== 2),
      [],
      'every one has died once',
    );
  });
