import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImage } from '@terrain/api';
import type { Change } from '@terrain/runtime';
import type { Waiting } from '#queue/sync-queue.ts';
import { anImage, nowMs } from '#testing/image-world.ts';
import { Intake, type IntakeOptions } from './intake.ts';
import type { StoredImage } from './snapshot.ts';

const image = anImage();
const { uid } = image.metadata;
const key = `${image.metadata.namespace}/${image.metadata.name}`;
const waiting: Waiting = { uid, namespace: 'vmdi-farm', key, queuedAtMs: nowMs, ticket: 1n, attempt: 1, isSettled: false };

/** One image that is known, with what is told of it. */
function rig() {
  const known = new Map([[key, image]]);
  const told: string[] = [];
  const live = Promise.withResolvers<StoredImage | undefined>();
  const intake = new Intake({
    sources: { informers: { images: { store: known } } },
    eyes: { image: () => live.promise },
    keeper: {
      whenReleased: () => undefined,
      wait: () => told.push('waits'),
      waitNoMore: () => told.push('waits no more'),
      forget: () => told.push('forgotten'),
      verified: () => told.push('verified'),
    },
    onGone: () => undefined,
    wake: () => told.push('woken'),
  } as unknown as IntakeOptions);
  const goes = (): void => {
    known.delete(key);
    intake.changed({ type: 'deleted', key, old: image } as Change<VMDiskImage>);
  };
  return { intake, told, live, goes };
}

test('what a pass decided about an image that has gone meanwhile gives it no place', () => {
  const { intake, told, goes } = rig();
  intake.decided(key, uid, { kind: 'queue', waiting, isPolicyPaused: false });
  goes();
  intake.decided(key, uid, { kind: 'queue', waiting, isPolicyPaused: false });
  assert.deepEqual(told, ['waits', 'forgotten', 'waits no more']);
});

test('an image whose deletion was told while it was read live does not wait', async () => {
  const { intake, told, live, goes } = rig();
  const confirmed = intake.confirm(waiting, new AbortController().signal);
  goes();
  live.resolve(image);
  assert.equal(await confirmed, undefined);
  assert.deepEqual(told, ['forgotten']);
});

test('the answer to a write that comes after the deletion was told leaves nothing behind', () => {
  const { intake, told, goes } = rig();
  intake.wrote(image);
  goes();
  intake.wrote(image);
  assert.deepEqual(told, ['verified', 'forgotten']);
});
