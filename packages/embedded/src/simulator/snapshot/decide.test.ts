import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim, VolumeSnapshot, VolumeSnapshotContent } from '../objects.ts';
import { Rehearsal } from '../rehearsal.ts';

const seconds = (value: number): number => value * 1000;
const driver = 'simulated.terrain.dev';
const isDefault = { 'snapshot.storage.kubernetes.io/is-default-class': 'true' };

/** A DataVolume `disk`, and classes; the snapshot is the test's. */
function stage({ image = 'https://example.com/x', importMs = 0, defaults = 1 } = {}): Rehearsal {
  const rehearsal = new Rehearsal();
  rehearsal.create('StorageClass', { metadata: { name: 'fast' }, provisioner: driver });
  rehearsal.create('CSIDriver', { metadata: { name: driver } });
  rehearsal.create('VolumeSnapshotClass', { metadata: { name: 'snap' }, driver, deletionPolicy: 'Delete' });
  for (let index = 0; index < defaults; index++)
    rehearsal.create('VolumeSnapshotClass', {
      metadata: { name: `default-${index}`, annotations: isDefault },
      driver,
      deletionPolicy: 'Delete',
    });
  rehearsal.create('DataVolume', {
    metadata: { name: 'disk' },
    spec: {
      source: { http: { url: image } },
      storage: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
    },
  });
  rehearsal.advance(importMs);
  return rehearsal;
}

function cut(rehearsal: Rehearsal, spec: object = { volumeSnapshotClassName: 'snap' }, name = 'cut'): void {
  rehearsal.create('VolumeSnapshot', { metadata: { name }, spec: { source: { persistentVolumeClaimName: 'disk' }, ...spec } });
}

const snapshot = (rehearsal: Rehearsal, name = 'cut'): VolumeSnapshot => rehearsal.find<VolumeSnapshot>('VolumeSnapshot', name)!;
const contents = (rehearsal: Rehearsal): readonly VolumeSnapshotContent[] =>
  rehearsal.all<VolumeSnapshotContent>('VolumeSnapshotContent');
const disk = (rehearsal: Rehearsal): Claim => rehearsal.find<Claim>('PersistentVolumeClaim', 'disk')!;

test('a snapshot of a bound claim gets a content and becomes ready with the claim’s size (2, A.4)', () => {
  const rehearsal = stage({ importMs: seconds(20) });
  cut(rehearsal);
  rehearsal.advance(100);
  assert.deepEqual([snapshot(rehearsal).status?.readyToUse, contents(rehearsal).length], [false, 1]);
  rehearsal.advance(seconds(1));
  const { status, metadata } = snapshot(rehearsal);
  assert.equal(status?.readyToUse, true);
  assert.equal(status?.restoreSize, '1138166334', 'the overhead is in it');
  assert.equal(status?.boundVolumeSnapshotContentName, `snapcontent-${metadata.uid}`);
  assert.equal(status?.error, undefined);
  assert.equal(contents(rehearsal)[0]?.metadata.labels?.['terrain.dev/simulated'], 'true');
});

test('a snapshot of a claim that is not bound waits with these words, and its retries back off (2, B.5)', () => {
  const rehearsal = stage({ image: 'https://example.com/x?sim=import:20s' });
  rehearsal.advance(seconds(1));
  cut(rehearsal);
  rehearsal.advance(seconds(2));
  assert.match(
    snapshot(rehearsal).status?.error?.message ?? '',
    /the PVC disk is not yet bound to a PV, will not attempt to take a snapshot/,
  );
  assert.equal(snapshot(rehearsal).status?.readyToUse, false);
  rehearsal.advance(seconds(60));
  const bound = rehearsal
    .sequence('PersistentVolumeClaim', 'disk', (object) => (object as unknown as Claim).status?.phase)
    .find(({ value }) => value === 'Bound')!.atSeconds;
  const made = rehearsal
    .sequence('VolumeSnapshot', 'cut', (object) => (object as unknown as VolumeSnapshot).status?.readyToUse)
    .find(({ value }) => value === true)!.atSeconds;
  assert.ok(made - bound > 4 && made - bound < 20, `cut ${made - bound} s after Bound`);
  assert.equal(snapshot(rehearsal).status?.error, undefined, 'success clears the error');
});

test('a snapshot of a claim that does not exist says so and can be deleted at once (A.4)', () => {
  const rehearsal = stage();
  cut(rehearsal, { volumeSnapshotClassName: 'snap', source: { persistentVolumeClaimName: 'none' } });
  rehearsal.advance(seconds(5));
  assert.match(snapshot(rehearsal).status?.error?.message ?? '', /cannot get claim from snapshot/);
  rehearsal.delete('VolumeSnapshot', 'cut');
  assert.equal(rehearsal.find('VolumeSnapshot', 'cut'), undefined);
});

const classes: Record<string, { defaults: number; spec: object; want: RegExp | string }> = {
  'no class named, one default': { defaults: 1, spec: {}, want: 'default-0' },
  'no class named, no default (2)': {
    defaults: 0,
    spec: {},
    want: /^Failed to set default snapshot class with error cannot find default snapshot class$/,
  },
  'no class named, two defaults (2)': { defaults: 2, spec: {}, want: /2 default snapshot classes were found/ },
  'a class that does not exist': {
    defaults: 1,
    spec: { volumeSnapshotClassName: 'none' },
    want: /^Failed to get snapshot class with error .*"none" not found$/,
  },
};
for (const [name, { defaults, spec, want }] of Object.entries(classes))
  test(name, () => {
    const rehearsal = stage({ importMs: seconds(20), defaults });
    cut(rehearsal, spec);
    rehearsal.advance(seconds(2));
    const { status, spec: written } = snapshot(rehearsal);
    if (typeof want === 'string') assert.deepEqual([status?.readyToUse, written.volumeSnapshotClassName], [true, want]);
    else assert.match(status?.error?.message ?? '', want);
  });

test('deleting a snapshot takes its content along (2)', () => {
  const rehearsal = stage({ importMs: seconds(20) });
  cut(rehearsal);
  rehearsal.advance(seconds(2));
  rehearsal.delete('VolumeSnapshot', 'cut');
  assert.notEqual(snapshot(rehearsal).metadata.deletionTimestamp, undefined, 'finalizers hold it until the content is gone');
  rehearsal.advance(100);
  assert.deepEqual([rehearsal.find('VolumeSnapshot', 'cut'), contents(rehearsal).length], [undefined, 0]);
});

test('a snapshot stays usable when its claim is deleted (A.4)', () => {
  const rehearsal = stage({ importMs: seconds(20) });
  cut(rehearsal);
  rehearsal.advance(seconds(2));
  rehearsal.delete('DataVolume', 'disk');
  rehearsal.advance(seconds(2));
  assert.equal(rehearsal.find('PersistentVolumeClaim', 'disk'), undefined);
  assert.equal(snapshot(rehearsal).status?.readyToUse, true);
});

test('a snapshot that never becomes ready pins its claim until it is deleted (2, 7.2.18)', () => {
  const rehearsal = stage({ image: 'https://example.com/x?sim=snapshot-never', importMs: seconds(20) });
  cut(rehearsal);
  rehearsal.advance(seconds(600));
  assert.deepEqual([snapshot(rehearsal).status?.readyToUse, snapshot(rehearsal).status?.error], [false, undefined]);
  rehearsal.delete('DataVolume', 'disk');
  rehearsal.advance(seconds(60));
  assert.notEqual(disk(rehearsal)?.metadata.deletionTimestamp, undefined);
  rehearsal.delete('VolumeSnapshot', 'cut');
  rehearsal.advance(seconds(1));
  assert.equal(rehearsal.find('PersistentVolumeClaim', 'disk'), undefined);
});

test('an error of the driver is told and, if it passes, cleared (2)', () => {
  const rehearsal = stage({ image: 'https://example.com/x?sim=snapshot-error:5s', importMs: seconds(20) });
  cut(rehearsal);
  rehearsal.advance(seconds(1));
  assert.match(snapshot(rehearsal).status?.error?.message ?? '', /Failed to check and update snapshot content/);
  rehearsal.advance(seconds(6));
  assert.deepEqual([snapshot(rehearsal).status?.readyToUse, snapshot(rehearsal).status?.error], [true, undefined]);
});

test('an error that lasts stays, and writes no more', () => {
  const rehearsal = stage({ image: 'https://example.com/x?sim=snapshot-error', importMs: seconds(20) });
  cut(rehearsal);
  rehearsal.advance(seconds(5));
  const before = rehearsal.writes;
  rehearsal.advance(seconds(600));
  assert.equal(rehearsal.writes, before);
  assert.notEqual(snapshot(rehearsal).status?.error, undefined);
});

test('a slow one takes as long as it was told', () => {
  const rehearsal = stage({ image: 'https://example.com/x?sim=snapshot-slow:5s', importMs: seconds(20) });
  cut(rehearsal);
  rehearsal.advance(seconds(4.9));
  assert.equal(snapshot(rehearsal).status?.readyToUse, false);
  rehearsal.advance(200);
  assert.equal(snapshot(rehearsal).status?.readyToUse, true);
});

test('a snapshot of another driver is left alone', () => {
  const rehearsal = stage({ importMs: seconds(20) });
  rehearsal.create('VolumeSnapshotClass', { metadata: { name: 'foreign' }, driver: 'other', deletionPolicy: 'Delete' });
  const before = rehearsal.writes;
  cut(rehearsal, { volumeSnapshotClassName: 'foreign' });
  rehearsal.advance(seconds(60));
  assert.deepEqual([snapshot(rehearsal).status, rehearsal.writes], [undefined, before]);
});

test('a snapshot of a prepared content is bound to it (2.2)', () => {
  const rehearsal = stage();
  rehearsal.create('VolumeSnapshotContent', {
    metadata: { name: 'ready-made' },
    spec: {
      driver,
      deletionPolicy: 'Retain',
      source: { snapshotHandle: 'h' },
      volumeSnapshotRef: { name: 'cut', namespace: 'ns' },
    },
    status: { restoreSize: 5, readyToUse: true },
  });
  cut(rehearsal, { source: { volumeSnapshotContentName: 'ready-made' } });
  rehearsal.advance(seconds(1));
  assert.deepEqual(
    [snapshot(rehearsal).status?.readyToUse, snapshot(rehearsal).status?.boundVolumeSnapshotContentName],
    [true, 'ready-made'],
  );
});
