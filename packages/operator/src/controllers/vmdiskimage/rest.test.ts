import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unseenStatus } from '@terrain/api';
import { ago, aSnapshot, nowMs, syncing } from '#testing/image-world.ts';
import { isNew, newMs } from './rest.ts';

test('an image is new for a moment, and only as long as it says nothing', () => {
  const fresh = aSnapshot({ image: { metadata: { creationTimestamp: ago(1) } } });
  const image = { ...fresh.image };
  delete (image as { status?: unknown }).status;
  assert.equal(isNew({ ...fresh, image }), true);
  assert.equal(isNew({ ...fresh, image, nowMs: nowMs + newMs }), false);
  assert.equal(isNew({ ...fresh, image: { ...image, status: unseenStatus } }), true);
  assert.equal(isNew({ ...fresh, image: { ...image, status: { ...syncing(), observedGeneration: 1 } } }), false);
});
