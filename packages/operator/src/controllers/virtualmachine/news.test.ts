import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, SourceOptions } from '@terrain/runtime';
import type { Claim } from '#platform/core.ts';
import { aCondition, aMachine, anInstance, aReadyImage, aRootDisk } from '#testing/machine-world.ts';
import { claimNews, countNews, diskNews, imageNews, instanceNews } from './news.ts';

const isNews = <T extends KubeObject>({ when }: SourceOptions<T>, old: T, after: T): boolean | undefined =>
  when?.({ type: 'updated', key: 'ns/a', old, new: after });
const going = { deletionTimestamp: '2030-01-01T00:00:00Z' };
const later = { resourceVersion: '9', finalizers: ['x'], annotations: { a: 'b' } };
const withMetadata = <T extends KubeObject>(object: T, change: object): T => ({
  ...object,
  metadata: { ...object.metadata, ...change },
});

const image = aReadyImage({ status: { references: 1, referencedBy: ['a/b'], referencesAsOf: '5' } });
const told = (status: object): typeof image => ({ ...image, status: { ...image.status, ...status } });
const images: Record<string, [after: typeof image, isNews: boolean]> = {
  'more references': [told({ references: 2, referencedBy: ['a/b', 'a/c'], referencesAsOf: '9' }), false],
  'finalizers and annotations': [withMetadata(image, later), false],
  'a deletion that has begun': [withMetadata(image, going), true],
  'another source': [{ ...image, spec: { ...image.spec, url: 'https://images.example.com/newer.qcow2' } }, true],
  'another download': [told({ artifact: { ...image.status?.artifact, volumeSnapshot: 'cut-2' } }), true],
  'other words': [told({ message: '5 % downloaded' }), true],
  'that it was given up': [told({ conditions: [aCondition('Ready', 'True'), aCondition('Stalled', 'True')] }), true],
};
for (const [name, [after, want]] of Object.entries(images))
  test(`${name}: ${want ? 'news' : 'none'} of an image for all its machines`, () =>
    assert.equal(isNews(imageNews, image, after), want));

test('that an image has counted is news for those who wait for it', () => {
  assert.equal(isNews(countNews, image, told({ referencesAsOf: '9' })), true);
  assert.equal(isNews(countNews, image, told({ message: 'x' })), false);
});

const disk = aRootDisk(aMachine(), { phase: 'CloneScheduled', progress: '5%' });
const bound = { type: 'Bound', status: 'False', reason: 'ErrExceededQuota', message: 'exceeded quota: tight' };
const at = (status: object): typeof disk => ({ ...disk, status: { ...disk.status, ...status } });
const disks: Record<string, [after: typeof disk, isNews: boolean]> = {
  'more of it copied': [at({ progress: '6%' }), false],
  'finalizers and annotations': [withMetadata(disk, later), false],
  'a condition that is met': [at({ conditions: [{ ...bound, status: 'True' }] }), false],
  'a complaint': [at({ conditions: [bound] }), true],
  'another step': [at({ phase: 'Succeeded' }), true],
  'a deletion that has begun': [withMetadata(disk, going), true],
  'labels taken away': [withMetadata(disk, { labels: {} }), true],
  'another owner': [withMetadata(disk, { ownerReferences: [] }), true],
};
for (const [name, [after, want]] of Object.entries(disks))
  test(`${name}: ${want ? 'news' : 'none'} of a root disk`, () => assert.equal(isNews(diskNews, disk, after), want));

const claim: Claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'a', namespace: 'ns', labels: { of: 'web' } },
  spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Pending' },
};
const claims: Record<string, [after: Claim, isNews: boolean]> = {
  'that it is bound': [{ ...claim, status: { phase: 'Bound' } }, false],
  'finalizers and annotations': [withMetadata(claim, later), false],
  'its size': [{ ...claim, status: { phase: 'Bound', capacity: { storage: '1Gi' } } }, true],
  'a larger request': [{ ...claim, spec: { ...claim.spec, resources: { requests: { storage: '2Gi' } } } }, true],
  'a deletion that has begun': [withMetadata(claim, going), true],
  'another owner': [withMetadata(claim, { ownerReferences: [] }), true],
};
for (const [name, [after, want]] of Object.entries(claims))
  test(`${name}: ${want ? 'news' : 'none'} of a claim`, () => assert.equal(isNews(claimNews, claim, after), want));

const scheduling = anInstance({ phase: 'Scheduling' });
const instances: Record<string, [after: typeof scheduling, isNews: boolean]> = {
  'a further step of a start': [anInstance({ phase: 'Scheduled' }), false],
  'that it runs': [anInstance({ phase: 'Running' }), true],
  'its end': [anInstance({ phase: 'Failed' }), true],
  'an agent that has connected': [
    anInstance({ phase: 'Scheduling', conditions: [{ type: 'AgentConnected', status: 'True' }] }),
    true,
  ],
  'why a start failed': [
    anInstance({ phase: 'Scheduling', conditions: [{ type: 'Synchronized', status: 'False', message: 'LibvirtError' }] }),
    true,
  ],
  'an address': [anInstance({ phase: 'Scheduling', interfaces: [{ name: 'lan', ipAddress: '10.0.0.5' }] }), true],
};
for (const [name, [after, want]] of Object.entries(instances))
  test(`${name}: ${want ? 'news' : 'none'} of an instance`, () => assert.equal(isNews(instanceNews, scheduling, after), want));

test('what comes and goes is always news', () => {
  for (const { when } of [imageNews] as const) {
    assert.equal(when?.({ type: 'added', key: 'ns/a', new: image }), true);
    assert.equal(when?.({ type: 'deleted', key: 'ns/a', old: image }), true);
  }
  assert.equal(diskNews.when?.({ type: 'deleted', key: 'ns/a', old: disk }), true);
  assert.equal(claimNews.when?.({ type: 'added', key: 'ns/a', new: claim }), true);
  assert.equal(instanceNews.when?.({ type: 'deleted', key: 'ns/a', old: scheduling }), true);
});
