import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim, Volume } from '../objects.ts';
import { Rehearsal } from '../rehearsal.ts';

const driver = 'simulated.terrain.dev';

function stage(storageClass: object = {}, claim: object = {}): Rehearsal {
  const rehearsal = new Rehearsal();
  rehearsal.create('StorageClass', { metadata: { name: 'fast' }, provisioner: driver, ...storageClass });
  rehearsal.create('PersistentVolumeClaim', {
    metadata: { name: 'home' },
    spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...claim },
  });
  return rehearsal;
}

const home = (rehearsal: Rehearsal): Claim => rehearsal.find<Claim>('PersistentVolumeClaim', 'home')!;
const volumes = (rehearsal: Rehearsal): readonly Volume[] => rehearsal.all<Volume>('PersistentVolume');

test('a plain claim is bound to a volume of its own, and both point at each other (A.4)', () => {
  const rehearsal = stage();
  rehearsal.advance(1000);
  const [volume] = volumes(rehearsal);
  assert.equal(home(rehearsal).status?.phase, 'Bound');
  assert.equal(home(rehearsal).spec.volumeName, volume?.metadata.name);
  assert.equal(volume?.spec.claimRef?.uid, home(rehearsal).metadata.uid);
  assert.equal(volume?.spec.csi?.driver, driver);
  assert.equal(volume?.metadata.labels?.['terrain.dev/simulated'], 'true');
});

test('that a claim is bound for good is left to the volume controller, which calls lost what it does not know yet', () => {
  const rehearsal = stage();
  rehearsal.advance(1000);
  assert.equal(home(rehearsal).metadata.annotations?.['pv.kubernetes.io/bind-completed'], undefined);
});

test('a claim the volume controller takes for Pending once more, because it has not heard of the volume, is bound again', () => {
  const rehearsal = stage();
  rehearsal.advance(1000);
  rehearsal.patch('PersistentVolumeClaim', 'home', { status: { phase: 'Pending' } });
  rehearsal.advance(1000);
  assert.equal(home(rehearsal).status?.phase, 'Bound');
});

test('a claim that waits for its first consumer is bound when the scheduler has chosen a node', () => {
  const rehearsal = stage({ volumeBindingMode: 'WaitForFirstConsumer' });
  rehearsal.advance(60_000);
  assert.equal(home(rehearsal).status?.phase, undefined);
  rehearsal.patch('PersistentVolumeClaim', 'home', { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } } });
  rehearsal.advance(1000);
  assert.equal(home(rehearsal).status?.phase, 'Bound');
});

test('the volume goes with its claim, unless its class retains it', () => {
  for (const [reclaimPolicy, left] of [
    ['Delete', 0],
    ['Retain', 1],
  ] as const) {
    const rehearsal = stage({ reclaimPolicy });
    rehearsal.advance(1000);
    rehearsal.delete('PersistentVolumeClaim', 'home');
    rehearsal.advance(1000);
    assert.equal(volumes(rehearsal).length, left, reclaimPolicy);
  }
});

test('a class of another provisioner is left alone', () => {
  const rehearsal = stage({ provisioner: 'other' });
  rehearsal.advance(60_000);
  assert.deepEqual([home(rehearsal).status, volumes(rehearsal).length, rehearsal.writes], [undefined, 0, 0]);
});

test('a restore smaller than its snapshot stays Pending, with one event (A.4)', () => {
  const rehearsal = stage({}, { dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'cut' } });
  rehearsal.create('VolumeSnapshot', {
    metadata: { name: 'cut' },
    spec: { source: { volumeSnapshotContentName: 'x' } },
    status: { readyToUse: true, restoreSize: '2Gi' },
  });
  rehearsal.advance(60_000);
  assert.equal(home(rehearsal).status?.phase, undefined);
  const [event, ...more] = rehearsal.events.filter(({ reason }) => reason === 'ProvisioningFailed');
  assert.match(event?.message ?? '', /requested volume size 1073741824 is less than the size 2147483648 for the source snapshot/);
  assert.equal(more.length, 0);
});

test('a bound claim that asks for more gets it, where its class can expand', () => {
  for (const [allowVolumeExpansion, held] of [
    [true, '3Gi'],
    [false, '1Gi'],
  ] as const) {
    const rehearsal = stage({ allowVolumeExpansion });
    rehearsal.advance(1000);
    rehearsal.patch('PersistentVolumeClaim', 'home', { spec: { resources: { requests: { storage: '3Gi' } } } });
    rehearsal.advance(1000);
    assert.deepEqual([home(rehearsal).status?.capacity?.storage, volumes(rehearsal)[0]?.spec.capacity?.storage], [held, held]);
  }
});
