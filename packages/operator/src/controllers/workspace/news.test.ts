import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aReadyImage } from '#testing/machine-world.ts';
import { imageNews } from './news.ts';

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
