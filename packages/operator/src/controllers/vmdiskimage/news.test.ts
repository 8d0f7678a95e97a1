import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labels } from '@terrain/api';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim } from '#platform/core.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { claimNews, isOnTheWay, snapshotNews, volumeNews } from './news.ts';

const metadata = {
  name: 'a',
  namespace: 'ns',
  uid: 'u',
  resourceVersion: '1',
  labels: { [labels.attempt]: '1' },
  ownerReferences: [{ apiVersion: 'pelotech.ot/v1alpha1', kind: 'VMDiskImage', name: 'i', uid: 'o', controller: true }],
};
const running = { type: 'Running', status: 'False', reason: 'Pending', message: 'waits' };
const volume: DataVolume = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata,
  spec: {},
  status: { phase: 'ImportInProgress', progress: '5%', restartCount: 0, conditions: [running] },
};
const cut: VolumeSnapshot = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata,
  spec: { source: { persistentVolumeClaimName: 'a' } },
  status: { readyToUse: false, boundVolumeSnapshotContentName: 'c' },
};
const claim: Claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, status: { phase: 'Pending' } };
const going = { ...metadata, deletionTimestamp: '2030-01-01T00:00:00Z' };
const finalized = { ...metadata, finalizers: ['x'], annotations: { a: 'b' } };
const ofVolume = (status: DataVolume['status']): DataVolume => ({ ...volume, status: { ...volume.status, ...status } });
const bound: Claim = { ...claim, status: { phase: 'Bound' } };
const news = volumeNews({ get: () => bound });
const ofCut = (status: VolumeSnapshot['status']): VolumeSnapshot => ({ ...cut, status: { ...cut.status, ...status } });

/** News at once, something to tell before long, or none. */
const volumes: Record<string, [after: DataVolume, isNews: boolean | 'soon']> = {
  'another step of a download': [ofVolume({ phase: 'ImportScheduled' }), false],
  'finalizers and annotations': [{ ...volume, metadata: finalized }, false],
  'a download that is complete': [ofVolume({ phase: 'Succeeded' }), true],
  'a download that has failed': [ofVolume({ phase: 'Failed' }), true],
  'more of it downloaded': [ofVolume({ progress: '6%' }), 'soon'],
  'an importer that began again': [ofVolume({ restartCount: 1 }), true],
  'a condition with other words': [ofVolume({ conditions: [{ ...running, message: '404' }] }), 'soon'],
  'an importer that runs': [ofVolume({ conditions: [{ ...running, status: 'True' }] }), 'soon'],
  'an importer that failed': [ofVolume({ conditions: [{ ...running, reason: 'Error', message: 'x' }] }), true],
  'a claim there is no room for': [
    ofVolume({ conditions: [running, { type: 'Bound', status: 'False', reason: 'ErrExceededQuota', message: 'full' }] }),
    true,
  ],
  'a claim that is bound': [ofVolume({ conditions: [running, { type: 'Bound', status: 'True', reason: 'Bound' }] }), false],
  'a condition that says what it said, later': [ofVolume({ conditions: [{ ...running }] }), false],
  'a condition that nobody reads': [ofVolume({ conditions: [running, { type: 'Ready', status: 'True' }] }), false],
  'a deletion that has begun': [{ ...volume, metadata: going }, true],
  'another attempt by its label': [{ ...volume, metadata: { ...metadata, labels: { [labels.attempt]: '2' } } }, true],
  'another owner': [{ ...volume, metadata: { ...metadata, ownerReferences: [] } }, true],
};
for (const [name, [after, isNews]] of Object.entries(volumes))
  test(`${name} of a DataVolume is ${isNews === false ? 'none' : isNews === 'soon' ? 'news before long' : 'news'}`, () => {
    const change = { type: 'updated', key: 'ns/a', old: volume, new: after } as const;
    assert.equal(news.when?.(change), isNews === true);
    if (isNews !== true) assert.equal(isOnTheWay(change), isNews === 'soon');
  });

test('a download that is complete is news when its claim is bound, which comes later as a rule', () => {
  const change = { type: 'updated', key: 'ns/a', old: volume, new: ofVolume({ phase: 'Succeeded' }) } as const;
  assert.equal(volumeNews({ get: () => undefined }).when?.(change), false);
  assert.equal(volumeNews({ get: () => claim }).when?.(change), false);
  assert.equal(isOnTheWay(change), true, 'should the claim never say so, it is looked at all the same');
  const going = { ...change, new: { ...change.new, metadata: { ...metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } } };
  assert.equal(volumeNews({ get: () => undefined }).when?.(going), true);
});

const cuts: Record<string, [after: VolumeSnapshot, isNews: boolean]> = {
  'a snapshot that is ready': [ofCut({ readyToUse: true }), true],
  'a snapshot that failed': [ofCut({ error: { message: 'no space' } }), true],
  'a failure without words': [ofCut({ error: {} }), true],
  'a snapshot on its way out': [{ ...cut, metadata: going }, true],
  'its size, while it is not ready': [ofCut({ restoreSize: '1Gi' }), false],
  'finalizers and annotations': [{ ...cut, metadata: finalized }, false],
};
for (const [name, [after, isNews]] of Object.entries(cuts))
  test(`${name} is ${isNews ? 'news' : 'none'} to an image`, () =>
    assert.equal(snapshotNews.when?.({ type: 'updated', key: 'ns/a', old: cut, new: after }), isNews));

test('a claim is news when it is bound, and when it is not any more', () => {
  const update = (old: Claim, after: Claim) => claimNews.when?.({ type: 'updated', key: 'ns/a', old, new: after });
  assert.equal(claimNews.when?.({ type: 'added', key: 'ns/a', new: claim }), false);
  assert.equal(claimNews.when?.({ type: 'added', key: 'ns/a', new: bound }), true);
  assert.equal(claimNews.when?.({ type: 'deleted', key: 'ns/a', old: bound }), true);
  assert.equal(update(claim, bound), true);
  assert.equal(update(bound, { ...bound, status: { phase: 'Lost' } }), true);
  assert.equal(update(bound, { ...bound, metadata: going }), true);
  assert.equal(update(bound, { ...bound, metadata: finalized }), false);
});

test('what comes and goes is always news', () => {
  assert.equal(news.when?.({ type: 'added', key: 'ns/a', new: volume }), true);
  assert.equal(news.when?.({ type: 'deleted', key: 'ns/a', old: volume }), true);
  assert.equal(snapshotNews.when?.({ type: 'deleted', key: 'ns/a', old: cut }), true);
});
