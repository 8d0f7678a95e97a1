import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim, DataVolume, VolumeSnapshot } from '../objects.ts';
import { Rehearsal } from '../rehearsal.ts';
import { inflate } from './size.ts';

const seconds = (value: number): number => value * 1000;
const driver = 'simulated.terrain.dev';

/** An image of 1 GiB with a ready snapshot, and a clone of it. */
function stage(clone: { storage?: object; namespace?: string; canGrow?: boolean; snapshot?: string } = {}): Rehearsal {
  const rehearsal = new Rehearsal();
  rehearsal.create('StorageClass', {
    metadata: { name: 'fast' },
    provisioner: driver,
    allowVolumeExpansion: clone.canGrow ?? true,
  });
  rehearsal.create('CSIDriver', { metadata: { name: driver } });
  rehearsal.create('VolumeSnapshotClass', { metadata: { name: 'snap' }, driver, deletionPolicy: 'Delete' });
  rehearsal.create('DataVolume', {
    metadata: { name: 'image' },
    spec: {
      source: { http: { url: 'https://example.com/x' } },
      storage: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
    },
  });
  rehearsal.advance(seconds(20));
  rehearsal.create('VolumeSnapshot', {
    metadata: { name: 'cut' },
    spec: { volumeSnapshotClassName: 'snap', source: { persistentVolumeClaimName: 'image' } },
  });
  rehearsal.advance(seconds(2));
  rehearsal.create('DataVolume', {
    metadata: { name: 'root', ...(clone.namespace === undefined ? {} : { namespace: clone.namespace }) },
    spec: {
      source: { snapshot: { namespace: 'ns', name: clone.snapshot ?? 'cut' } },
      storage: { storageClassName: 'fast', ...clone.storage },
    },
  });
  return rehearsal;
}

const root = (rehearsal: Rehearsal, namespace = 'ns'): DataVolume => rehearsal.find<DataVolume>('DataVolume', 'root', namespace)!;
const phases = (rehearsal: Rehearsal): readonly string[] =>
  rehearsal
    .sequence('DataVolume', 'root', (object) => (object as unknown as DataVolume).status?.phase ?? '')
    .map(({ value }) => value);
const bound = (rehearsal: Rehearsal): string => {
  const { reason, message } = root(rehearsal).status?.conditions?.find(({ type }) => type === 'Bound') ?? {};
  return `${reason}: ${message}`;
};
const sized = (storage: string): object => ({ resources: { requests: { storage } } });

test('the overhead is CDI’s: 1 GiB becomes 1138166334 bytes, and that 1207078749 (B.5)', () => {
  assert.equal(inflate(2 ** 30), 1138166334);
  assert.equal(inflate(1138166334), 1207078749);
});

test('with its size left out a clone has the snapshot’s and goes through the phases seen (B.5)', () => {
  const rehearsal = stage();
  rehearsal.advance(seconds(5));
  assert.deepEqual(phases(rehearsal), [
    '',
    'CloneScheduled',
    'CloneFromSnapshotSourceInProgress',
    'RebindInProgress',
    'Succeeded',
  ]);
  assert.equal(rehearsal.find<Claim>('PersistentVolumeClaim', 'root')?.spec.resources?.requests?.storage, '1138166334');
  assert.equal(rehearsal.find<Claim>('PersistentVolumeClaim', 'root')?.status?.phase, 'Bound');
  assert.equal(root(rehearsal).status?.progress, '100.0%');
});

test('the nominal size is refused, since the snapshot’s holds the overhead already (0.5)', () => {
  const rehearsal = stage({ storage: sized('1Gi') });
  rehearsal.advance(seconds(60));
  assert.deepEqual(phases(rehearsal), ['']);
  assert.equal(
    bound(rehearsal),
    "CloneValidationFailed: The clone doesn't meet the validation requirements: target resources requests storage size is smaller than the source 1073741824 < 1138166334",
  );
});

test('the snapshot’s own size is inflated again; without expansion the clone hangs in PrepClaimInProgress (0.5)', () => {
  const rehearsal = stage({ storage: sized('1138166334'), canGrow: false });
  rehearsal.advance(seconds(600));
  assert.equal(rehearsal.find<Claim>('PersistentVolumeClaim', 'root')?.spec.resources?.requests?.storage, '1207078749');
  assert.equal(phases(rehearsal).at(-1), 'PrepClaimInProgress');
});

test('with expansion a larger clone takes longer and succeeds (B.5)', () => {
  const rehearsal = stage({ storage: sized('2Gi') });
  rehearsal.advance(seconds(2));
  assert.equal(phases(rehearsal).at(-1), 'PrepClaimInProgress');
  rehearsal.advance(seconds(5));
  assert.equal(phases(rehearsal).at(-1), 'Succeeded');
});

test('a clone into another namespace is held by CDI’s finalizer until it is done (2.2)', () => {
  const rehearsal = stage({ namespace: 'other' });
  rehearsal.advance(300);
  assert.deepEqual(root(rehearsal, 'other').metadata.finalizers, ['cdi.kubevirt.io/dataVolumeFinalizer']);
  rehearsal.advance(seconds(5));
  assert.equal(root(rehearsal, 'other').status?.phase, 'Succeeded');
  assert.equal(root(rehearsal, 'other').metadata.finalizers, undefined);
});

test('a clone being deleted loses that finalizer', () => {
  const rehearsal = stage({ namespace: 'other' });
  rehearsal.advance(100);
  rehearsal.delete('DataVolume', 'root', 'other');
  rehearsal.advance(100);
  assert.equal(rehearsal.find('DataVolume', 'root', 'other'), undefined);
});

test('a snapshot that does not exist is waited for (1.3)', () => {
  const rehearsal = stage({ snapshot: 'later' });
  rehearsal.advance(seconds(5));
  assert.equal(bound(rehearsal), "CloneWithoutSource: The source snapshot later doesn't exist");
  rehearsal.create('VolumeSnapshot', {
    metadata: { name: 'later' },
    spec: { volumeSnapshotClassName: 'snap', source: { persistentVolumeClaimName: 'image' } },
  });
  rehearsal.advance(seconds(10));
  assert.equal(phases(rehearsal).at(-1), 'Succeeded');
});

test('a snapshot without size or in error holds the clone back with these words, and it goes on by itself (B.5)', () => {
  const rehearsal = stage({ snapshot: 'slow' });
  rehearsal.create('VolumeSnapshot', {
    metadata: { name: 'slow', annotations: { 'terrain.dev/sim': 'snapshot-error:5s' } },
    spec: { volumeSnapshotClassName: 'snap', source: { persistentVolumeClaimName: 'image' } },
  });
  rehearsal.advance(seconds(2));
  assert.match(bound(rehearsal), /snapshot in error state with msg: Failed to check and update snapshot content/);
  rehearsal.advance(seconds(20));
  assert.equal(phases(rehearsal).at(-1), 'Succeeded');
});

test('a snapshot stays while a clone of it is under way', () => {
  const rehearsal = stage();
  rehearsal.advance(500);
  rehearsal.delete('VolumeSnapshot', 'cut');
  rehearsal.advance(100);
  assert.notEqual(rehearsal.find<VolumeSnapshot>('VolumeSnapshot', 'cut'), undefined);
  rehearsal.advance(seconds(5));
  assert.equal(phases(rehearsal).at(-1), 'Succeeded');
  assert.equal(rehearsal.find('VolumeSnapshot', 'cut'), undefined);
});

test('a claim that outlived its DataVolume is taken up as it is, if that is allowed', () => {
  for (const isAllowed of [true, false]) {
    const rehearsal = new Rehearsal();
    rehearsal.create('StorageClass', { metadata: { name: 'fast' }, provisioner: 'simulated.terrain.dev' });
    rehearsal.create('PersistentVolumeClaim', {
      metadata: { name: 'root' },
      spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    rehearsal.advance(seconds(1));
    const { uid } = rehearsal.find<Claim>('PersistentVolumeClaim', 'root')?.metadata ?? {};
    const annotations = isAllowed ? { 'cdi.kubevirt.io/allowClaimAdoption': 'true' } : {};
    rehearsal.create('DataVolume', {
      metadata: { name: 'root', annotations },
      spec: { source: { snapshot: { name: 'gone' } }, storage: { storageClassName: 'fast' } },
    });
    rehearsal.advance(seconds(5));
    const owner = rehearsal.find<Claim>('PersistentVolumeClaim', 'root')?.metadata.ownerReferences?.[0];
    assert.equal(rehearsal.find<Claim>('PersistentVolumeClaim', 'root')?.metadata.uid, uid);
    assert.deepEqual(
      [rehearsal.find<DataVolume>('DataVolume', 'root')?.status?.phase, owner?.kind],
      isAllowed ? ['Succeeded', 'DataVolume'] : ['', undefined],
    );
  }
});
