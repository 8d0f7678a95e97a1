import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@terrain/runtime';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { aSnapshot, aVolume, cutNameOf, nowMs } from '#testing/image-world.ts';
import { cutSnapshot } from './cut-snapshot.ts';
import { Memories } from './memory.ts';
import type { Pass } from './pass.ts';

const minute = 60_000;
const step = { kind: 'cut', name: cutNameOf(1), volume: aVolume({ phase: 'Succeeded' }) } as const;
const broken = new ApiError(500, { message: 'conversion webhook failed', reason: 'InternalError' }, 'POST /snapshots');

/** An API server that answers as told, at a minute as told. */
function server() {
  const memories = new Memories();
  return async (atMinute: number, answer: (manifest: VolumeSnapshot) => VolumeSnapshot) => {
    const hands = { createSnapshot: async (manifest: VolumeSnapshot) => answer(manifest) };
    const snapshot = { ...aSnapshot({ policy: { noProgressTimeout: '30m' } }), nowMs: nowMs + atMinute * minute };
    return (await cutSnapshot({ deps: { memories }, hands } as unknown as Pass, snapshot, step))?.message;
  };
}
const fails = (): VolumeSnapshot => {
  throw broken;
};

test('a fault of the API server is tried again for as long as a download may stand still, and then told', async () => {
  const cut = server();
  for (const atMinute of [0, 5, 10, 15, 20, 25, 29]) await assert.rejects(cut(atMinute, fails), broken);
  assert.equal(await cut(30, fails), `VolumeSnapshot ${cutNameOf(1)} cannot be created: conversion webhook failed`);
});

test('a fault that passed does not count with the next one', async () => {
  const cut = server();
  await assert.rejects(cut(0, fails), broken);
  assert.equal(await cut(10, (manifest) => manifest), undefined);
  await assert.rejects(cut(31, fails), broken);
});

test('a fault long after another one is not the same', async () => {
  const cut = server();
  await assert.rejects(cut(0, fails), broken);
  await assert.rejects(cut(90, fails), broken);
});

test('no answer at all is no word about the snapshot', async () => {
  const cut = server();
  const silent = (): VolumeSnapshot => {
    throw new Error('socket hang up');
  };
  await assert.rejects(cut(0, silent), /hang up/);
  await assert.rejects(cut(60, silent), /hang up/);
});

test('a snapshot that is there without the label by which it is found is told, with what to do', async () => {
  const cut = server();
  const stripped = (manifest: VolumeSnapshot): VolumeSnapshot => ({
    ...manifest,
    metadata: { ...manifest.metadata, labels: {} },
  });
  assert.equal(
    await cut(0, stripped),
    `VolumeSnapshot ${cutNameOf(1)} is there without the label app.kubernetes.io/managed-by=terrain, by which the operator hears of it: put it back, or delete the snapshot`,
  );
});
