import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { keptClaim, keptRootClaim, keptSnapshot, keptVolume } from './kept.ts';

const metadata = {
  name: 'a-1',
  namespace: 'ns',
  uid: 'u',
  resourceVersion: '7',
  creationTimestamp: '2030-01-01T00:00:00Z',
  deletionTimestamp: '2030-01-02T00:00:00Z',
  labels: { 'pelotech.ot/attempt': '1' },
  ownerReferences: [{ apiVersion: 'pelotech.ot/v1alpha1', kind: 'VMDiskImage', name: 'a', uid: 'o', controller: true }],
  finalizers: ['x/y'],
};
const asTold = {
  ...metadata,
  generation: 3,
  annotations: { 'cdi.kubevirt.io/storage.pod.phase': 'Running' },
  managedFields: [{}],
};
const condition = { type: 'Running', status: 'False', reason: 'Error', message: 'got 404' };
const times = { lastTransitionTime: '2030-01-01T00:00:00Z', lastHeartbeatTime: '2030-01-01T00:00:00Z' };
const ofKind = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: asTold });

const claim = {
  spec: { storageClassName: 'sc', volumeMode: 'Block', resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
};
const toldClaim = {
  ...ofKind('v1', 'PersistentVolumeClaim'),
  metadata: { ...asTold, labels: { ...metadata.labels, app: 'containerized-data-importer' } },
  spec: { ...claim.spec, volumeName: 'pv' },
  status: { ...claim.status, accessModes: ['ReadWriteOnce'] },
};

const cases: Record<string, { keep: (object: never) => KubeObject; given: object; want: object }> = {
  'a download': {
    keep: keptVolume,
    given: {
      ...ofKind('cdi.kubevirt.io/v1beta1', 'DataVolume'),
      spec: { source: { http: { url: 'https://x/y' } }, storage: { resources: { requests: { storage: '1Gi' } } } },
      status: {
        phase: 'ImportInProgress',
        claimName: 'a-1',
        progress: '5%',
        restartCount: 1,
        conditions: [{ ...condition, ...times }],
      },
    },
    want: { spec: {}, status: { phase: 'ImportInProgress', progress: '5%', restartCount: 1, conditions: [condition] } },
  },
  'a clone': {
    keep: keptVolume,
    given: {
      ...ofKind('cdi.kubevirt.io/v1beta1', 'DataVolume'),
      spec: { source: { snapshot: { namespace: 'farm', name: 's' } }, storage: {} },
    },
    want: { spec: { source: { snapshot: { namespace: 'farm', name: 's' } } } },
  },
  'a snapshot': {
    keep: keptSnapshot,
    given: {
      ...ofKind('snapshot.storage.k8s.io/v1', 'VolumeSnapshot'),
      spec: { volumeSnapshotClassName: 'c', source: { persistentVolumeClaimName: 'a-1' } },
      status: {
        readyToUse: true,
        boundVolumeSnapshotContentName: 'content',
        restoreSize: '1Gi',
        creationTime: '2030-01-01T00:00:00Z',
        error: { message: 'no', time: '2030-01-01T00:00:00Z' },
      },
    },
    want: {
      spec: { source: { persistentVolumeClaimName: 'a-1' } },
      status: {
        readyToUse: true,
        boundVolumeSnapshotContentName: 'content',
        restoreSize: '1Gi',
        error: { message: 'no', time: '2030-01-01T00:00:00Z' },
      },
    },
  },
  'the claim of a download': {
    keep: keptClaim,
    given: toldClaim,
    want: { ...claim, metadata: { ...metadata, ownerReferences: undefined, finalizers: undefined } },
  },
  'the claim of a root disk': {
    keep: keptRootClaim,
    given: toldClaim,
    want: { ...claim, metadata: { ...metadata, finalizers: undefined } },
  },
};
/** Fields that are there as undefined are not. */
const stored = (object: object): unknown => JSON.parse(JSON.stringify(object));

for (const [name, { keep, given, want }] of Object.entries(cases))
  test(`of ${name} is kept what is read`, () => {
    const { apiVersion, kind } = given as KubeObject;
    assert.deepEqual(stored(keep(given as never)), stored({ apiVersion, kind, metadata, ...want }));
  });

test('what has just been made, or has no spec at all, is kept as well', () => {
  const made = { apiVersion: 'v1', kind: 'X', metadata: { name: 'a', uid: 'u', resourceVersion: '1' } };
  for (const keep of [keptVolume, keptSnapshot, keptClaim, keptRootClaim]) assert.equal(keep(made as never).metadata.name, 'a');
  for (const [keep, more] of [
    [keptVolume, { spec: {} }],
    [keptSnapshot, { spec: { source: {} } }],
    [keptClaim, {}],
  ] as const)
    assert.deepEqual(stored(keep({ ...made, ...more } as never)), { ...made, ...more });
});
