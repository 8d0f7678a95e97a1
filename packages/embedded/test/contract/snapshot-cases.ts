import assert from 'node:assert/strict';
import type { Thing } from '../record.ts';
import { conditionOf, isPhase, phaseOf } from '../things.ts';
import { bytesOf, type Cases, inflated, isBound, nominal, requestOf } from './scene.ts';

const errorOf = (object: Thing): string => (object.status?.error as { message?: string } | undefined)?.message ?? '';
const hasError = (object: Thing): boolean => errorOf(object) !== '';

const messageOf = (event: Thing): string => (event as { message?: string }).message ?? '';
const isFailedProvisioning = (event: Thing): boolean => (event as { reason?: string }).reason === 'ProvisioningFailed';

/** Snapshots of what was imported, and clones of them. */
export const snapshotCases: Cases = {
  'a snapshot and clones of it, also in another namespace: the size left out is the snapshot’s': async (scene) => {
    const { record } = scene;
    const at = await scene.image();
    const held = await scene.cut(at, 'cut');
    // A driver may round a volume up to whole blocks.
    assert.ok(held >= Number(inflated) && held < Number(inflated) + 4096, String(held));
    const elsewhere = await scene.namespace();
    for (const target of [at, elsewhere]) {
      await record.create('DataVolume', target, 'root', scene.clone(at, 'cut'));
      await record.heard('DataVolume', target, 'root', isPhase('Succeeded'));
      const claim = await record.heard('PersistentVolumeClaim', target, 'root', isBound);
      assert.equal(bytesOf(requestOf(claim)), held);
    }
    await scene.remove('VolumeSnapshot', at, 'cut');
    await record.untilGone('VolumeSnapshot', at, 'cut');
  },

  'the nominal size is refused with CDI’s arithmetic; a larger one grows': async (scene) => {
    const { record } = scene;
    const at = await scene.image();
    const held = await scene.cut(at, 'sized');
    await record.create('DataVolume', at, 'nominal', scene.clone(at, 'sized', nominal));
    const isInvalid = (object: Thing): boolean => conditionOf(object, 'Bound')?.reason === 'CloneValidationFailed';
    const refusal = await record.heard('DataVolume', at, 'nominal', isInvalid);
    const words = new RegExp(`storage size is smaller than the source 134217728 < ${held}$`);
    assert.match(conditionOf(refusal, 'Bound')?.message ?? '', words);
    assert.equal(phaseOf(refusal), '');
    await record.create('DataVolume', at, 'large', scene.clone(at, 'sized', '256Mi'));
    await record.heard('DataVolume', at, 'large', isPhase('Succeeded'));
  },

  'a clone made before its snapshot waits, and then works by itself': async (scene) => {
    const { record } = scene;
    const at = await scene.image();
    await record.create('DataVolume', at, 'early', scene.clone(at, 'later'));
    const isWaiting = (object: Thing): boolean => conditionOf(object, 'Bound')?.reason === 'CloneWithoutSource';
    await record.heard('DataVolume', at, 'early', isWaiting);
    await scene.cut(at, 'later');
    await record.heard('DataVolume', at, 'early', isPhase('Succeeded'));
  },

  'a plain claim restores a snapshot; a smaller one stays Pending and says why': async (scene) => {
    const { record } = scene;
    const at = await scene.image();
    const held = await scene.cut(at, 'kept');
    const dataSourceRef = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'kept' };
    await record.create('PersistentVolumeClaim', at, 'whole', scene.claim(String(held), { dataSourceRef }));
    await record.heard('PersistentVolumeClaim', at, 'whole', isBound);
    await record.create('PersistentVolumeClaim', at, 'small', scene.claim(nominal, { dataSourceRef }));
    const words = new RegExp(`requested volume size 134217728 is less than the size ${held} for the source snapshot kept$`);
    await record.wait(
      () => record.heardOf('Event', at).some((event) => isFailedProvisioning(event) && words.test(messageOf(event))),
      () => `no event told that it is too small: ${record.heardOf('Event', at).filter(isFailedProvisioning).map(messageOf)}`,
    );
    assert.equal(phaseOf(record.last('PersistentVolumeClaim', at, 'small')), 'Pending');
  },

  'a snapshot of a claim that is not there, or not bound, says so': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    await record.create('DataVolume', at, 'image', scene.dataVolume('held'));
    await record.heard('PersistentVolumeClaim', at, 'image', () => true);
    await record.create('VolumeSnapshot', at, 'early', scene.snapshotOf('image'));
    await record.create('VolumeSnapshot', at, 'orphan', scene.snapshotOf('nothing'));
    const early = await record.heard('VolumeSnapshot', at, 'early', hasError);
    assert.match(errorOf(early), /the PVC image is not yet bound to a PV, will not attempt to take a snapshot/);
    const orphan = await record.heard('VolumeSnapshot', at, 'orphan', hasError);
    assert.match(errorOf(orphan), /cannot get claim from snapshot/);
    for (const name of ['early', 'orphan']) await scene.remove('VolumeSnapshot', at, name);
    await record.untilNone('VolumeSnapshot', at);
    await scene.remove('DataVolume', at, 'image');
  },
};
