import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataSync, DataSyncVM, VMDiskImageSpec } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { aSnapshot, imageOf, item, theDataSync } from '#testing/datasync-world.ts';
import { changeOf, desiredImage, releaseOf } from './desired.ts';

const specs: Record<string, { vm: Partial<DataSyncVM>; of?: Override<DataSync['spec']>; want: Partial<VMDiskImageSpec> }> = {
  'an item that says nothing has the size of the policy': { vm: {}, want: { diskSize: '32Gi' } },
  'defaults come before the policy': { vm: {}, of: { defaults: { diskSize: '10Gi' } }, want: { diskSize: '10Gi' } },
  'an item comes before defaults': {
    vm: { diskSize: '5Gi', storageClass: '' },
    of: { defaults: { diskSize: '10Gi', storageClass: 'gp3', snapshotClass: 'ebs' } },
    want: { diskSize: '5Gi', storageClass: '', snapshotClass: 'ebs' },
  },
  'credentials and digest can be given for all': {
    vm: {},
    of: { defaults: { secretRef: 'keys', checksum: 'md5:0123456789abcdef0123456789abcdef' } },
    want: { secretRef: 'keys', checksum: 'md5:0123456789abcdef0123456789abcdef' },
  },
  'an empty disk needs no credentials': {
    vm: { sourceType: 'blank' },
    of: { defaults: { secretRef: 'keys' } },
    want: { sourceType: 'blank', secretRef: undefined as never },
  },
};
for (const [sentence, { vm, of = {}, want }] of Object.entries(specs)) {
  test(`desired: ${sentence}`, () => {
    const { spec } = desiredImage(aSnapshot({ spec: of }), item('a', vm));
    for (const [field, value] of Object.entries(want)) assert.deepEqual(spec[field as keyof VMDiskImageSpec], value, field);
  });
}

test('desired: an image is named, labelled, owned and protected from the start', () => {
  const { metadata, spec } = desiredImage(aSnapshot({ spec: { version: '1.4.0' } }), item('a'));
  assert.equal(metadata.name, 'lab-7-a');
  assert.equal(metadata.namespace, 'vmdi-farm');
  assert.deepEqual(metadata.finalizers, ['pelotech.ot/cleanup']);
  assert.deepEqual(metadata.labels, {
    'app.kubernetes.io/managed-by': 'terrain',
    'pelotech.ot/datasync': 'lab-7',
    'pelotech.ot/workspace-id': 'w',
    'pelotech.ot/workspace-version': '1.4.0',
  });
  assert.deepEqual(
    metadata.ownerReferences?.map(({ kind, name, uid, controller }) => [kind, name, uid, controller]),
    [['DataSync', 'lab-7', theDataSync().metadata.uid, true]],
  );
  assert.equal(spec.name, 'a');
});

test('desired: a new default of the policy leaves images that exist alone', () => {
  const image = imageOf('a');
  const snapshot = { ...aSnapshot({}, [image]), defaultDiskSize: '64Gi' };
  assert.equal(changeOf(desiredImage(snapshot, item('a')), image), undefined);
});

const changes: Record<string, { of?: Override<DataSync['spec']>; vm?: Partial<DataSyncVM>; want: object | undefined }> = {
  'nothing is changed when nothing differs': { want: undefined },
  'a new url is a change of the url alone': {
    vm: { url: 'https://images.example.com/new.qcow2' },
    want: { spec: { url: 'https://images.example.com/new.qcow2' } },
  },
  'a field that was given and is not any more is removed': {
    vm: { secretRef: undefined as never },
    want: { spec: { secretRef: null } },
  },
  'a new version is a change of the label alone': {
    of: { version: '2' },
    want: { labels: { 'pelotech.ot/workspace-version': '2' } },
  },
};
for (const [sentence, { of = {}, vm = {}, want }] of Object.entries(changes)) {
  test(`change: ${sentence}`, () => {
    const image = imageOf('a', { spec: { secretRef: 'keys', retain: true, certConfigMap: 'ca' } });
    const patch = changeOf(desiredImage(aSnapshot({ spec: of }, [image]), item('a', { secretRef: 'keys', ...vm })), image);
    const { uid, resourceVersion, ...metadata } = patch?.metadata ?? {};
    assert.deepEqual(patch && { ...metadata, ...(patch.spec && { spec: patch.spec }) }, want);
    if (want !== undefined) assert.deepEqual([uid, resourceVersion], [image.metadata.uid, '1']);
  });
}

test('release: only the owner that lets go is taken away, and only from this very version', () => {
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u' };
  const image = imageOf('a');
  const shared = {
    ...image,
    metadata: { ...image.metadata, ownerReferences: [...(image.metadata.ownerReferences ?? []), other] },
  };
  assert.deepEqual(releaseOf(shared, theDataSync()), {
    metadata: { uid: image.metadata.uid, resourceVersion: '1', ownerReferences: [other] },
  });
});
