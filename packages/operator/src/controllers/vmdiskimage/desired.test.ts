import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImageSpec } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import type { DataVolumeSource } from '#platform/cdi.ts';
import { anImage, aVolume, cutNameOf, hash, uid, volumeName } from '#testing/image-world.ts';
import { attemptOf, desiredDataVolume, desiredSnapshot } from './desired.ts';

const attempt = { number: 3, sourceHash: hash };
const owner = {
  apiVersion: 'pelotech.ot/v1alpha1',
  kind: 'VMDiskImage',
  name: 'debian',
  uid,
  controller: true,
  blockOwnerDeletion: true,
};
const childLabels = {
  'app.kubernetes.io/managed-by': 'terrain',
  'pelotech.ot/image': 'debian',
  'pelotech.ot/attempt': '3',
  'pelotech.ot/source-hash': hash,
};

test('the DataVolume of an attempt, whole', () => {
  assert.deepEqual(desiredDataVolume(anImage(), attempt), {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      name: volumeName(3),
      namespace: 'vmdi-farm',
      labels: childLabels,
      annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' },
      ownerReferences: [owner],
    },
    spec: {
      source: { http: { url: 'https://images.example.com/debian.qcow2' } },
      storage: { resources: { requests: { storage: '10Gi' } } },
    },
  });
});

test('the snapshot of its claim, whole; without a class the field is left out, since an empty one is refused', () => {
  const plain = desiredSnapshot(anImage(), cutNameOf(3), aVolume({ attempt: 3 }));
  assert.deepEqual(plain, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { name: cutNameOf(3), namespace: 'vmdi-farm', labels: childLabels, ownerReferences: [owner] },
    spec: { source: { persistentVolumeClaimName: volumeName(3) } },
  });
  const classed = desiredSnapshot(anImage({ spec: { snapshotClass: 'ebs' } }), cutNameOf(3), aVolume({ attempt: 3 }));
  assert.equal(classed.spec.volumeSnapshotClassName, 'ebs');
  assert.notEqual(plain.metadata.name, volumeName(3), 'a snapshot of the DataVolume’s name blocks CDI’s clones');
});

const url = 'https://h.example.com/x';
const sources: Record<string, { spec: Override<VMDiskImageSpec>; want: DataVolumeSource }> = {
  'http with everything': {
    spec: { sourceType: 'http', url, secretRef: 's', certConfigMap: 'c', checksum: 'md5:00' },
    want: { http: { url, secretRef: 's', certConfigMap: 'c', checksum: 'md5:00' } },
  },
  's3 with a private authority': {
    spec: { sourceType: 's3', url, secretRef: 's', certConfigMap: 'c' },
    want: { s3: { url, secretRef: 's', certConfigMap: 'c' } },
  },
  gcs: { spec: { sourceType: 'gcs', url: 'gs://b/x', secretRef: 's' }, want: { gcs: { url: 'gs://b/x', secretRef: 's' } } },
  'registry without certificates': {
    spec: { sourceType: 'registry', url: 'docker://r/i' },
    want: { registry: { url: 'docker://r/i' } },
  },
  'blank needs neither url nor Secret': { spec: { sourceType: 'blank', url: undefined }, want: { blank: {} } },
};
for (const [name, { spec, want }] of Object.entries(sources))
  test(`source: ${name}`, () => assert.deepEqual(desiredDataVolume(anImage({ spec }), attempt).spec.source, want));

test('class and size as asked for; a number is a size too', () => {
  const { storage } = desiredDataVolume(anImage({ spec: { storageClass: 'gp3', diskSize: 1024 } }), attempt).spec;
  assert.deepEqual(storage, { storageClassName: 'gp3', resources: { requests: { storage: '1024' } } });
});

test('labels and annotations of the image are not spread, whatever the name is the labels are legal', () => {
  const image = anImage({
    metadata: { name: `${'a.very.long-name-'.repeat(3)}404`, labels: { owner: 'me' }, annotations: { x: 'y' } },
  });
  const { labels: made = {}, annotations } = desiredDataVolume(image, attempt).metadata;
  assert.deepEqual(Object.keys(made).sort(), Object.keys(childLabels).sort());
  assert.deepEqual(Object.keys(annotations ?? {}), ['cdi.kubevirt.io/storage.bind.immediate.requested']);
  for (const value of Object.values(made)) assert.match(value, /^[A-Za-z0-9][-A-Za-z0-9_.]{0,61}[A-Za-z0-9]$|^[A-Za-z0-9]$/);
});

test('the same input gives the same bytes', () => {
  assert.equal(JSON.stringify(desiredDataVolume(anImage(), attempt)), JSON.stringify(desiredDataVolume(anImage(), attempt)));
});

test('a label that is no number is no attempt', () => {
  for (const value of ['0', '-1', 'x', '1e3', '01', '9'.repeat(30)])
    assert.equal(attemptOf({ metadata: { labels: { 'pelotech.ot/attempt': value } } }), 0, value);
  assert.equal(attemptOf({ metadata: {} }), 0);
});
