import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unseenStatus } from '@terrain/api';
import { ago, aSnapshot, nowMs, syncing } from '#testing/image-world.ts';
import type { ImageRecord } from './record.ts';
import { failedStep, isNew, newMs } from './rest.ts';

test('an image is new for a moment, and only as long as it says nothing', () => {
  const fresh = aSnapshot({ image: { metadata: { creationTimestamp: ago(1) } } });
  const image = { ...fresh.image };
  delete (image as { status?: unknown }).status;
  assert.equal(isNew({ ...fresh, image }), true);
  assert.equal(isNew({ ...fresh, image, nowMs: nowMs + newMs }), false);
  assert.equal(isNew({ ...fresh, image: { ...image, status: unseenStatus } }), true);
  assert.equal(isNew({ ...fresh, image: { ...image, status: { ...syncing(), observedGeneration: 1 } } }), false);
});

const waysOut: Record<string, string> = {
  DiskTooSmall: 'given up: too small; raise spec.diskSize, and it is downloaded again by itself',
  SourceNotFound:
    'given up: too small; correct spec.url, or put the file there and set the annotation pelotech.ot/retry to a new value to try again',
  SnapshotFailed:
    'given up: too small; look at the snapshot class and its driver, then set the annotation pelotech.ot/retry to a new value to try again: no download is needed',
  RefusedByPlatform:
    'given up: too small; change the source, or set the annotation pelotech.ot/retry to a new value to try again',
};
for (const [reason, want] of Object.entries(waysOut))
  test(`given up for ${reason}: what helps is said`, () => {
    const retry = { gaveUp: { at: ago(1), reason }, lastReason: reason, lastMessage: 'too small' };
    const step = failedStep({ retry } as unknown as ImageRecord);
    assert.equal(step.kind === 'failed' && step.message, want);
  });
