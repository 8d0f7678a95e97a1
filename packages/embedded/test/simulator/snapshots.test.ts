import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Thing } from '../record.ts';
import { conditionOf, isPhase, phaseOf, statusOf } from '../things.ts';
import { download, Stage } from './stage.ts';

const isReady = (object: Thing): boolean => statusOf(object, 'readyToUse') === 'true';
const errorOf = (object: Thing | undefined): string => (object?.status?.error as { message?: string } | undefined)?.message ?? '';
const of = (claim: string, volumeSnapshotClassName?: string): object => ({
  spec: {
    source: { persistentVolumeClaimName: claim },
    ...(volumeSnapshotClassName === undefined ? {} : { volumeSnapshotClassName }),
  },
});
const clone = (namespace: string, name: string, storage: object = {}): object => ({
  spec: { source: { snapshot: { namespace, name } }, storage },
});
const sized = (storage: string): object => ({ resources: { requests: { storage } } });

describe('VolumeSnapshots and clones, on a real API server', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open({ speed: 10 });
  });
  after(() => stage[Symbol.asyncDispose]());

  /** An imported disk of 1 GiB in a namespace of its own. */
  async function imported(switches = ''): Promise<string> {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'image', download(switches));
    await stage.until('PersistentVolumeClaim', namespace, 'image', isPhase('Bound'));
    return namespace;
  }

  test('a snapshot: default class, content, size, ready; deleting it takes the content along (platform-apis 2; storage A.4)', async () => {
    const namespace = await imported();
    await stage.create('VolumeSnapshot', namespace, 'cut', of('image'));
    const snapshot = await stage.until('VolumeSnapshot', namespace, 'cut', isReady);
    assert.deepEqual([statusOf(snapshot, 'restoreSize'), snapshot.spec?.volumeSnapshotClassName], ['1138166334', 'ebs-snapshot']);
    const content = await stage.get('VolumeSnapshotContent', undefined, statusOf(snapshot, 'boundVolumeSnapshotContentName'));
    assert.equal(content.metadata.labels?.['terrain.dev/simulated'], 'true');
    assert.equal((content.spec?.volumeSnapshotRef as { uid?: string } | undefined)?.uid, snapshot.metadata.uid);
    assert.deepEqual(
      stage.sequence('VolumeSnapshot', namespace, 'cut', (object) => statusOf(object, 'readyToUse')),
      ['', 'false', 'true'],
    );
    await stage.resource('VolumeSnapshot').delete({ name: 'cut', namespace });
    await stage.untilGone('VolumeSnapshot', namespace, 'cut');
    await stage.untilGone('VolumeSnapshotContent', undefined, content.metadata.name);
  });

  test('a snapshot of a claim that is not bound yet waits with the controller’s words and is cut later (0.4, 2, B.5)', async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'image', download('import:12s'));
    await stage.until('PersistentVolumeClaim', namespace, 'image', () => true);
    await stage.create('VolumeSnapshot', namespace, 'early', of('image', 'ebs-snapshot'));
    const waiting = await stage.until('VolumeSnapshot', namespace, 'early', (object) => errorOf(object) !== '');
    assert.match(errorOf(waiting), /the PVC image is not yet bound to a PV, will not attempt to take a snapshot/);
    assert.equal(statusOf(waiting, 'readyToUse'), 'false');
    const done = await stage.until('VolumeSnapshot', namespace, 'early', isReady);
    assert.equal(errorOf(done), '');
    const ready = stage.versionOf('VolumeSnapshot', namespace, 'early', isReady);
    assert.ok(ready > stage.versionOf('PersistentVolumeClaim', namespace, 'image', isPhase('Bound')));
  });

  test('a class that does not exist is told, and the snapshot is cut when it comes', async () => {
    const namespace = await imported();
    await stage.create('VolumeSnapshot', namespace, 'cut', of('image', `late-${namespace}`));
    const waiting = await stage.until('VolumeSnapshot', namespace, 'cut', (object) => errorOf(object) !== '');
    assert.match(errorOf(waiting), /^Failed to get snapshot class with error .* not found$/);
    await stage.create('VolumeSnapshotClass', undefined, `late-${namespace}`, {
      driver: 'ebs.csi.aws.com',
      deletionPolicy: 'Delete',
    });
    await stage.until('VolumeSnapshot', namespace, 'cut', isReady);
    await stage.resource('VolumeSnapshotClass').delete({ name: `late-${namespace}` });
  });

  test('a snapshot that never becomes ready pins its claim until it is deleted (2, 7.2.18)', async () => {
    const namespace = await imported('snapshot-never');
    await stage.create('VolumeSnapshot', namespace, 'cut', of('image'));
    const content = await stage.until(
      'VolumeSnapshot',
      namespace,
      'cut',
      (object) => statusOf(object, 'boundVolumeSnapshotContentName') !== '',
    );
    await stage.resource('DataVolume').delete({ name: 'image', namespace }, { propagationPolicy: 'Background' });
    await stage.until('PersistentVolumeClaim', namespace, 'image', (object) => object.metadata.deletionTimestamp !== undefined);
    await stage.resource('VolumeSnapshot').delete({ name: 'cut', namespace });
    await stage.untilGone('PersistentVolumeClaim', namespace, 'image');
    assert.equal(statusOf(content, 'readyToUse'), 'false');
  });

  test('an error of the driver is told and cleared when a later try works (2)', async () => {
    const namespace = await imported('snapshot-error:4s');
    await stage.create('VolumeSnapshot', namespace, 'cut', of('image'));
    await stage.until('VolumeSnapshot', namespace, 'cut', (object) =>
      errorOf(object).startsWith('Failed to check and update snapshot content'),
    );
    assert.equal(errorOf(await stage.until('VolumeSnapshot', namespace, 'cut', isReady)), '');
  });

  test('clones in the same and in another namespace, with the size left out (0.5, 2.2, B.5)', async () => {
    const namespace = await imported();
    await stage.create('VolumeSnapshot', namespace, 'cut', of('image'));
    await stage.until('VolumeSnapshot', namespace, 'cut', isReady);
    const elsewhere = await stage.namespace();
    for (const target of [namespace, elsewhere]) {
      await stage.create('DataVolume', target, 'root', clone(namespace, 'cut'));
      await stage.until('DataVolume', target, 'root', isPhase('Succeeded'));
      const claim = await stage.until('PersistentVolumeClaim', target, 'root', isPhase('Bound'));
      assert.deepEqual(claim.spec?.resources, { requests: { storage: '1138166334' } });
      const phases = stage.sequence('DataVolume', target, 'root', phaseOf).filter((phase) => phase !== '');
      assert.deepEqual(phases, ['CloneScheduled', 'CloneFromSnapshotSourceInProgress', 'RebindInProgress', 'Succeeded']);
    }
    await stage.until('DataVolume', elsewhere, 'root', ({ metadata }) => (metadata.finalizers ?? []).length === 0);
    await stage.resource('VolumeSnapshot').delete({ name: 'cut', namespace });
    await stage.untilGone('VolumeSnapshot', namespace, 'cut');
    await stage.resource('DataVolume').delete({ name: 'root', namespace: elsewhere }, { propagationPolicy: 'Background' });
    await stage.untilGone('DataVolume', elsewhere, 'root');
  });

  test('the nominal size is refused with CDI’s arithmetic; the snapshot’s size, inflated again, hangs without a resizer (0.5, B.5)', async () => {
    const namespace = await imported();
    const rigid = `rigid-${namespace}`;
    await stage.create('StorageClass', undefined, rigid, { provisioner: 'ebs.csi.aws.com', allowVolumeExpansion: false });
    await stage.create('VolumeSnapshot', namespace, 'cut', of('image'));
    await stage.until('VolumeSnapshot', namespace, 'cut', isReady);
    await stage.create('DataVolume', namespace, 'nominal', clone(namespace, 'cut', sized('1Gi')));
    const refused = await stage.until(
      'DataVolume',
      namespace,
      'nominal',
      (object) => conditionOf(object, 'Bound')?.reason === 'CloneValidationFailed',
    );
    assert.match(
      conditionOf(refused, 'Bound')?.message ?? '',
      /storage size is smaller than the source 1073741824 < 1138166334$/,
    );
    assert.equal(phaseOf(refused), '');
    await stage.create(
      'DataVolume',
      namespace,
      'grown',
      clone(namespace, 'cut', { storageClassName: rigid, ...sized('1138166334') }),
    );
    await stage.until('DataVolume', namespace, 'grown', isPhase('PrepClaimInProgress'));
    const claim = await stage.get('PersistentVolumeClaim', namespace, 'grown');
    assert.deepEqual(claim.spec?.resources, { requests: { storage: '1207078749' } });
    await stage.create('DataVolume', namespace, 'large', clone(namespace, 'cut', sized('2Gi')));
    await stage.until('DataVolume', namespace, 'large', isPhase('Succeeded'));
    assert.equal(phaseOf(await stage.get('DataVolume', namespace, 'grown')), 'PrepClaimInProgress');
    await stage.resource('StorageClass').delete({ name: rigid });
  });

  test('a clone made before its snapshot waits and then works by itself (B.5)', async () => {
    const namespace = await imported();
    await stage.create('DataVolume', namespace, 'root', clone(namespace, 'cut'));
    await stage.until('DataVolume', namespace, 'root', (object) => conditionOf(object, 'Bound')?.reason === 'CloneWithoutSource');
    await stage.create('VolumeSnapshot', namespace, 'cut', of('image'));
    await stage.until('DataVolume', namespace, 'root', isPhase('Succeeded'));
  });

  test('a plain claim is bound to a volume that goes with it; a restore smaller than its snapshot is not (A.4)', async () => {
    const namespace = await imported();
    const spec = { accessModes: ['ReadWriteOnce'], ...sized('1Gi') };
    await stage.create('PersistentVolumeClaim', namespace, 'home', { spec });
    const home = await stage.until('PersistentVolumeClaim', namespace, 'home', isPhase('Bound'));
    await stage.create('VolumeSnapshot', namespace, 'cut', of('image'));
    await stage.until('VolumeSnapshot', namespace, 'cut', isReady);
    const dataSourceRef = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'cut' };
    await stage.create('PersistentVolumeClaim', namespace, 'small', { spec: { ...spec, dataSourceRef } });
    await stage.wait(
      () =>
        stage.entries.some(
          ({ kind, namespace: at, object }) =>
            kind === 'Event' &&
            at === namespace &&
            (object as unknown as { reason?: string } | undefined)?.reason === 'ProvisioningFailed',
        ),
      () => 'no event told that the restore is too small',
    );
    await stage.create('PersistentVolumeClaim', namespace, 'whole', { spec: { ...spec, ...sized('2Gi'), dataSourceRef } });
    await stage.until('PersistentVolumeClaim', namespace, 'whole', isPhase('Bound'));
    assert.equal(phaseOf(await stage.get('PersistentVolumeClaim', namespace, 'small')), 'Pending');
    await stage.resource('PersistentVolumeClaim').delete({ name: 'home', namespace });
    await stage.untilGone('PersistentVolume', undefined, String(home.spec?.volumeName));
  });
});
