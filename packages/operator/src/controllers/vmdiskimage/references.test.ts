import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labels, type VirtualMachine } from '@terrain/api';
import { aVirtualMachine, type Override, stored } from '@terrain/api/testing';
import { ago, aSnapshot, now, nowMs, synced, syncing } from '#testing/image-world.ts';
import { countReferences, imageKeyOf, prunableAtMs, referenceStatus } from './references.ts';
import type { Snapshot } from './snapshot.ts';

const aMachine = (name: string, change: Override<VirtualMachine> = {}): VirtualMachine =>
  stored(aVirtualMachine({ ...change, metadata: { name, resourceVersion: '10', ...change.metadata } }));

test('a machine refers to an image in its own namespace, or in the one it names', () => {
  assert.equal(imageKeyOf(aMachine('m')), 'vmdi-farm/debian');
  assert.equal(imageKeyOf(aMachine('m', { spec: { vmDiskImageRef: { name: 'x', namespace: '' } } })), 'lab-7/x');
  assert.equal(imageKeyOf(aMachine('m', { spec: { vmDiskImageRef: { name: 'x', namespace: undefined } } })), 'lab-7/x');
});

test('machines are counted, three are named in order, one being deleted counts', () => {
  const machines = [aMachine('d'), aMachine('b'), aMachine('c', { metadata: { deletionTimestamp: now } }), aMachine('a')];
  assert.deepEqual(countReferences(machines, '70'), {
    count: 4,
    names: ['lab-7/a', 'lab-7/b', 'lab-7/c'],
    asOf: '70',
    waiting: '10',
  });
});

test('a machine waits to be counted until it has its disk; the newest one decides, by number', () => {
  const machines = [
    aMachine('a', { metadata: { resourceVersion: '9' } }),
    aMachine('b', { metadata: { resourceVersion: '100' } }),
    aMachine('c', { metadata: { resourceVersion: '200' }, status: { rootDisk: 'c-root' } }),
  ];
  assert.equal(countReferences(machines, '300').waiting, '100');
});

const referenced = { count: 1, names: ['a/b'], asOf: '60', waiting: undefined };
const statuses: Record<string, { given: Snapshot; want: ReturnType<typeof referenceStatus> }> = {
  'nobody, for the first time': { given: aSnapshot(), want: { references: 0, unreferencedSince: now } },
  'nobody, still': {
    given: aSnapshot({ image: { status: syncing({ unreferencedSince: ago(9) }) } }),
    want: { references: 0, unreferencedSince: ago(9) },
  },
  somebody: {
    given: aSnapshot({ references: referenced }),
    want: { references: 1, referencedBy: ['a/b'], referencesAsOf: '60' },
  },
  'the same as before: not counted up to a newer version': {
    given: aSnapshot({
      references: referenced,
      image: { status: syncing({ references: 1, referencedBy: ['a/b'], referencesAsOf: '20' }) },
    }),
    want: { references: 1, referencedBy: ['a/b'], referencesAsOf: '20' },
  },
  'the same, and the machine that waits was counted': {
    given: aSnapshot({
      references: { ...referenced, waiting: '20' },
      image: { status: syncing({ references: 1, referencedBy: ['a/b'], referencesAsOf: '20' }) },
    }),
    want: { references: 1, referencedBy: ['a/b'], referencesAsOf: '20' },
  },
  'the same, but a machine waits that was made after the count': {
    given: aSnapshot({
      references: { ...referenced, waiting: '21' },
      image: { status: syncing({ references: 1, referencedBy: ['a/b'], referencesAsOf: '20' }) },
    }),
    want: { references: 1, referencedBy: ['a/b'], referencesAsOf: '60' },
  },
  'one less': {
    given: aSnapshot({
      references: referenced,
      image: { status: syncing({ references: 2, referencedBy: ['a/b', 'a/c'], referencesAsOf: '20' }) },
    }),
    want: { references: 1, referencedBy: ['a/b'], referencesAsOf: '60' },
  },
  'the last one is gone': {
    given: aSnapshot({ image: { status: syncing({ references: 1, referencedBy: ['a/b'], referencesAsOf: '20' }) } }),
    want: { references: 0, referencesAsOf: '50', unreferencedSince: now },
  },
};
for (const [name, { given, want }] of Object.entries(statuses))
  test(`references: ${name}`, () => assert.deepEqual(referenceStatus(given), want));

const template = { labels: { [labels.createdBy]: 'x' } };
const free = { unreferencedSince: ago(100) };
const prunes: Record<string, { given: Snapshot; want: number | undefined }> = {
  'made from a template: an hour after its last reference': {
    given: aSnapshot({ image: { metadata: template, status: synced(free) } }),
    want: nowMs - 100_000 + 3_600_000,
  },
  'made from a template and never downloaded: likewise': {
    given: aSnapshot({ image: { metadata: template, status: syncing(free) } }),
    want: nowMs - 100_000 + 3_600_000,
  },
  'made from a template, the policy keeps them': {
    given: aSnapshot({ policy: { templateImageTTL: '' }, image: { metadata: template, status: synced(free) } }),
    want: undefined,
  },
  'made from a template, not seen without reference yet': {
    given: aSnapshot({ image: { metadata: template } }),
    want: undefined,
  },
  'made by a pipeline: kept by default': { given: aSnapshot({ image: { status: synced(free) } }), want: undefined },
  'made by a pipeline, the policy says when': {
    given: aSnapshot({ policy: { unreferencedTTL: '10m' }, image: { status: synced(free) } }),
    want: nowMs - 5000 + 600_000,
  },
  'made by a pipeline, not usable yet': {
    given: aSnapshot({ policy: { unreferencedTTL: '10m' }, image: { status: syncing(free) } }),
    want: undefined,
  },
  'made by a pipeline, given up': {
    given: aSnapshot({
      policy: { unreferencedTTL: '10m' },
      image: { status: syncing({ ...free, retry: { gaveUp: { at: ago(50), reason: 'x' } } }) },
    }),
    want: nowMs - 50_000 + 600_000,
  },
  'made by a pipeline, its new source not usable yet': {
    given: aSnapshot({
      policy: { unreferencedTTL: '10m' },
      image: { status: synced({ ...free, artifact: { sourceHash: 'former', syncedAt: ago(9000) } }) },
    }),
    want: undefined,
  },
  'made by a pipeline, its new source given up': {
    given: aSnapshot({
      policy: { unreferencedTTL: '10m' },
      image: {
        status: synced({
          ...free,
          artifact: { sourceHash: 'former', syncedAt: ago(9000) },
          retry: { gaveUp: { at: ago(50), reason: 'x' } },
        }),
      },
    }),
    want: nowMs - 50_000 + 600_000,
  },
  'made by a pipeline, given up with a former source only': {
    given: aSnapshot({
      policy: { unreferencedTTL: '10m' },
      image: { status: syncing({ ...free, retry: { sourceHash: 'former', gaveUp: { at: ago(50), reason: 'x' } } }) },
    }),
    want: undefined,
  },
  retained: {
    given: aSnapshot({ image: { metadata: template, spec: { retain: true }, status: synced(free) } }),
    want: undefined,
  },
  'of a DataSync': {
    given: aSnapshot({
      image: {
        metadata: {
          ...template,
          ownerReferences: [{ apiVersion: 'pelotech.ot/v1alpha1', kind: 'DataSync', name: 'd', uid: 'u' }],
        },
        status: synced(free),
      },
    }),
    want: undefined,
  },
  'in use': {
    given: aSnapshot({ references: referenced, image: { metadata: template, status: synced(free) } }),
    want: undefined,
  },
};
for (const [name, { given, want }] of Object.entries(prunes))
  test(`pruned: ${name}`, () => assert.equal(prunableAtMs(given), want));
