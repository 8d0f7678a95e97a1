import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '#platform/workload.ts';
import { aReadyImage } from '#testing/machine-world.ts';
import { imageNews, podNews } from './news.ts';

const image = aReadyImage({ status: { references: 1, referencedBy: ['a/b'], referencesAsOf: '5' } });
const told = (status: object): typeof image => ({ ...image, status: { ...image.status, ...status } });
const as = (metadata: object): typeof image => ({ ...image, metadata: { ...image.metadata, ...metadata } });

const cases: Record<string, [after: typeof image, isNews: boolean]> = {
  'more references': [told({ references: 2, referencedBy: ['a/b', 'a/c'], referencesAsOf: '9' }), false],
  'the end of the last reference': [told({ references: 0, referencedBy: [], unreferencedSince: '2030-01-01T00:00:00Z' }), true],
  finalizers: [as({ finalizers: ['x'] }), false],
  'whom it is left to': [as({ labels: { 'pelotech.ot/created-by': 'workspace.demo' } }), true],
  'a deletion that has begun': [as({ deletionTimestamp: '2030-01-01T00:00:00Z' }), true],
  'another source': [{ ...image, spec: { ...image.spec, url: 'https://images.example.com/newer.qcow2' } }, true],
  'other words': [told({ message: 'failed' }), true],
};
for (const [name, [after, want]] of Object.entries(cases))
  test(`${name}: ${want ? 'news' : 'none'} of an image for a workspace`, () =>
    assert.equal(imageNews.when?.({ type: 'updated', key: 'ns/a', old: image, new: after }), want));

test('images that come and go are always news', () => {
  assert.equal(imageNews.when?.({ type: 'added', key: 'ns/a', new: image }), true);
  assert.equal(imageNews.when?.({ type: 'deleted', key: 'ns/a', old: image }), true);
});

const pod = (state: object, labels: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', labels },
  status: { containerStatuses: [{ name: 'web', state }] },
});
const running = pod({ running: {} });
const stuckPod = pod({ waiting: { reason: 'CrashLoopBackOff' } });
const failed = pod({ terminated: { exitCode: 1, message: 'no space' } });

const pods: Record<string, { old?: Pod; after?: Pod; want: boolean }> = {
  'a pod that is new': { after: pod({ waiting: { reason: 'ContainerCreating' } }), want: false },
  'a pod that runs': { old: pod({ waiting: { reason: 'ContainerCreating' } }), after: running, want: false },
  'labels of a pod that runs': { old: running, after: pod({ running: {} }, { a: 'b' }), want: false },
  'the end of a pod that ran': { old: running, want: false },
  'a pod that does not start': { old: running, after: stuckPod, want: true },
  'a pod that was found so': { after: stuckPod, want: true },
  'a pod that starts after all': { old: stuckPod, after: running, want: true },
  'the end of one that did not start': { old: stuckPod, want: true },
  'the same trouble again': { old: stuckPod, after: pod({ waiting: { reason: 'CrashLoopBackOff' } }), want: false },
  'other trouble': { old: stuckPod, after: pod({ waiting: { reason: 'ErrImagePull' } }), want: true },
  'last words': { old: running, after: failed, want: true },
  'trouble of another part': {
    old: failed,
    after: pod({ terminated: { exitCode: 1, message: 'no space' } }, { a: 'b' }),
    want: true,
  },
};
for (const [name, { old, after, want }] of Object.entries(pods))
  test(`${name}: ${want ? 'news' : 'none'} for a workspace`, () => {
    const key = 'ns/web-1';
    const change =
      old === undefined
        ? ({ type: 'added', key, new: after! } as const)
        : after === undefined
          ? ({ type: 'deleted', key, old } as const)
          : ({ type: 'updated', key, old, new: after } as const);
    assert.equal(podNews.when?.(change), want);
  });
