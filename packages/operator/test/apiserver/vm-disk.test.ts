import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { changeSpec, childOf, conditionOf, createMachine, machine, phase, reason, remove, until } from './vm-world.ts';

const storageClasses: ResourceType = { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses', namespaced: false };

const claimOf = (stage: Stage, disk: string | undefined): Thing | undefined =>
  stage.things(types.claims).find(({ metadata }) => metadata.name === disk);

test('root disks hold people’s work: what is done to them, and what is not', async (t) => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.resource<KubeObject>(storageClasses).create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: `fixed-${stage.namespace}` },
    provisioner: 'simulated.terrain.dev',
    allowVolumeExpansion: false,
  } as KubeObject);
  await stage.createImage('debian');
  await stage.createImage('fixed', { spec: { storageClass: `fixed-${stage.namespace}`, snapshotClass: 'standard-snapshot' } });
  await Promise.all([
    t.test('a claim that outlived its DataVolume is taken up again, with what is on it', async () => {
      await createMachine(stage, 'orphaned');
      const { status } = await phase(stage, 'orphaned', 'Ready');
      const claim = claimOf(stage, status?.rootDisk) ?? assert.fail('there is no claim');
      const disk = stage.things(types.dataVolumes).find(({ metadata }) => metadata.name === status?.rootDisk);
      const at = { name: status?.rootDisk ?? '', namespace: stage.namespace };
      // As one restored from a backup, of which CDI knows nothing.
      const unknown = { 'cdi.kubevirt.io/storage.populatedFor': null };
      await stage.resource(types.claims).mergePatch(at, { metadata: { annotations: unknown } });
      await stage.resource(types.dataVolumes).delete(at, { propagationPolicy: 'Orphan' });
      const next = await stage.until('another DataVolume to be done', () =>
        stage
          .things(types.dataVolumes)
          .find(
            ({ metadata, status: found }) =>
              metadata.name === at.name && metadata.uid !== disk?.metadata.uid && found?.phase === 'Succeeded',
          ),
      );
      const { metadata } = claimOf(stage, at.name) ?? assert.fail('the claim is gone');
      assert.equal(metadata.uid, claim.metadata.uid);
      assert.equal(metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid, next.metadata.uid);
      await until(
        stage,
        'orphaned',
        'be Ready with it',
        (found) => found.status?.phase === 'Ready' && found.status.rootDisk === at.name,
      );
    }),
    t.test('a raised diskSize grows the volume; the machine is not touched', async () => {
      await createMachine(stage, 'growing');
      const before = await phase(stage, 'growing', 'Ready');
      const instance = stage.things(types.kubevirtInstances).find(({ metadata }) => metadata.name === 'growing');
      await changeSpec(stage, 'growing', { resources: { diskSize: '4Gi' } });
      await stage.until('a larger volume', () => {
        const { capacity } = (claimOf(stage, before.status?.rootDisk)?.status ?? {}) as { capacity?: { storage?: string } };
        return Number(capacity?.storage) >= 4 * 2 ** 30;
      });
      const after = await until(
        stage,
        'growing',
        'say nothing of it any more',
        (found) => conditionOf(found, 'RootDiskReady')?.reason === 'Cloned' && found.status?.message === 'the machine runs',
      );
      assert.equal(after.status?.rootDisk, before.status?.rootDisk);
      const still = stage.things(types.kubevirtInstances).find(({ metadata }) => metadata.name === 'growing');
      assert.equal(still?.metadata.uid, instance?.metadata.uid);
    }),
    t.test('where the class cannot expand volumes, that is told, and what to do', async () => {
      await createMachine(stage, 'fixed', { vmDiskImageRef: { name: 'fixed', namespace: '' } });
      await phase(stage, 'fixed', 'Ready');
      await changeSpec(stage, 'fixed', { resources: { diskSize: '4Gi' } });
      const told = await until(
        stage,
        'fixed',
        'say so',
        (found) => conditionOf(found, 'RootDiskReady')?.reason === 'ExpansionPending',
      );
      assert.deepEqual([told.status?.phase, conditionOf(told, 'RootDiskReady')?.status], ['Ready', 'True']);
      assert.match(told.status?.message ?? '', /cannot expand volumes; set allowVolumeExpansion there, or lower/);
      await changeSpec(stage, 'fixed', { resources: { diskSize: null } });
      await until(stage, 'fixed', 'be content', ({ status }) => status?.message === 'the machine runs');
    }),
    t.test('a reset token that had been used before is a reset all the same', async () => {
      await createMachine(stage, 'again', { resetToken: 'a' });
      await phase(stage, 'again', 'Ready');
      const seen = new Set<string | undefined>();
      for (const resetToken of ['b', 'a']) {
        const before = childOf(stage, types.dataVolumes, machine(stage, 'again') ?? assert.fail())?.metadata.uid;
        seen.add(before);
        await changeSpec(stage, 'again', { resetToken });
        await until(stage, 'again', 'have another disk', (found) => {
          const disk = childOf(stage, types.dataVolumes, found);
          return found.status?.phase === 'Ready' && disk !== undefined && !seen.has(disk.metadata.uid);
        });
      }
    }),
    t.test('a reset taken back before the old disk went: the machine keeps its disk', async () => {
      await createMachine(stage, 'regretful');
      const before = await phase(stage, 'regretful', 'Ready');
      const disk = childOf(stage, types.dataVolumes, before)?.metadata.uid;
      await changeSpec(stage, 'regretful', { resetToken: 'x', vmDiskImageRef: { name: 'nothing' } });
      const waiting = await reason(stage, 'regretful', 'DiskImageMissing');
      assert.equal(conditionOf(waiting, 'RootDiskReady')?.reason, 'Resetting');
      await changeSpec(stage, 'regretful', { resetToken: null, vmDiskImageRef: { name: 'debian' } });
      const after = await phase(stage, 'regretful', 'Ready');
      assert.equal(childOf(stage, types.dataVolumes, after)?.metadata.uid, disk);
    }),
    t.test('a root disk and its volume deleted by hand: made again when they are gone', async () => {
      await createMachine(stage, 'robbed');
      const before = await phase(stage, 'robbed', 'Ready');
      const { uid } = claimOf(stage, before.status?.rootDisk)?.metadata ?? {};
      await remove(stage, types.claims, before.status?.rootDisk ?? '');
      await remove(stage, types.dataVolumes, before.status?.rootDisk ?? '');
      await until(stage, 'robbed', 'be Ready again', ({ status }) => {
        const claim = claimOf(stage, status?.rootDisk);
        return status?.phase === 'Ready' && claim !== undefined && claim.metadata.uid !== uid;
      });
    }),
  ]);
  await stage.resource(storageClasses).delete({ name: `fixed-${stage.namespace}` });
});
