import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataSync } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { aSnapshot, imageOf, item, theDataSync } from '#testing/datasync-world.ts';
import { decide } from './decide.ts';
import type { Snapshot, StoredImage } from './observe.ts';

const finalizers = ['pelotech.ot/cleanup'];
const paused = { 'pelotech.ot/paused': 'true' };
const going = '2026-01-15T09:00:00Z';
const foreign = (name: string): StoredImage =>
  imageOf(name, { metadata: { ownerReferences: undefined }, spec: { url: 'https://images.example.com/other' } });

type Case = {
  of?: Override<DataSync>;
  images?: readonly StoredImage[];
  more?: Partial<Snapshot>;
  want: Partial<Record<'create' | 'change' | 'leave', readonly string[]>> & { addsFinalizer?: boolean };
};
const cases: Record<string, Case> = {
  'a new DataSync makes one image per item, in the order of the items': { want: { create: ['lab-7-a', 'lab-7-b'] } },
  'one without the finalizer gets it': {
    of: { metadata: { finalizers: [] } },
    images: [imageOf('a'), imageOf('b')],
    want: { addsFinalizer: true },
  },
  'all there: nothing to do': { images: [imageOf('a'), imageOf('b')], want: {} },
  'an item that was added is made': { images: [imageOf('a')], want: { create: ['lab-7-b'] } },
  'an item that was changed is changed': {
    of: { spec: { vms: [item('a', { url: 'https://images.example.com/new' }), item('b')] } },
    images: [imageOf('a'), imageOf('b')],
    want: { change: ['lab-7-a'] },
  },
  'an item that was removed leaves': {
    of: { spec: { vms: [item('b')] } },
    images: [imageOf('a'), imageOf('b')],
    want: { leave: ['lab-7-a'] },
  },
  'an image that belongs to nobody is not touched': { images: [foreign('a'), imageOf('b')], want: {} },
  'neither is one that was left behind': { images: [imageOf('a'), imageOf('b'), foreign('c')], want: {} },
  'an image that is being deleted is waited for': {
    of: { spec: { vms: [item('a', { url: 'https://images.example.com/new' }), item('b')] } },
    images: [imageOf('a', { metadata: { deletionTimestamp: going } }), imageOf('b')],
    want: {},
  },
  'a deleted DataSync lets all its images go, and makes none': {
    of: { metadata: { deletionTimestamp: going } },
    images: [imageOf('a'), foreign('b')],
    want: { leave: ['lab-7-a'] },
  },
  'one that is deleted with --cascade=orphan leaves them to the garbage collector, which takes their owner away': {
    of: { metadata: { deletionTimestamp: going, finalizers: [...finalizers, 'orphan'] } },
    images: [imageOf('a'), imageOf('b')],
    want: {},
  },
  'a pause stops everything': {
    of: { metadata: { annotations: paused }, spec: { vms: [item('b')] } },
    images: [imageOf('a')],
    want: {},
  },
  'a pause does not hold up a namespace on its way out': {
    of: { metadata: { annotations: paused, deletionTimestamp: going } },
    images: [imageOf('a')],
    more: { isNamespaceTerminating: true },
    want: { leave: ['lab-7-a'] },
  },
  'nothing is made in a namespace on its way out': { more: { isNamespaceTerminating: true }, want: {} },
};
for (const [sentence, { of = {}, images = [], more = {}, want }] of Object.entries(cases)) {
  test(`decide: ${sentence}`, () => {
    const metadata = { finalizers, ...of.metadata };
    const plan = decide({ ...aSnapshot({ ...of, metadata }, images), ...more });
    assert.deepEqual(
      {
        addsFinalizer: plan.addsFinalizer,
        create: plan.create.map((image) => image.metadata.name),
        change: plan.change.map(({ image }) => image.metadata.name),
        leave: plan.leave.map((image) => image.metadata.name),
      },
      { addsFinalizer: false, create: [], change: [], leave: [], ...want },
    );
  });
}

test('decide: an image of a predecessor of the same name is not its own', () => {
  const { ownerReferences = [] } = imageOf('a').metadata;
  const old = imageOf('a', { metadata: { ownerReferences: ownerReferences.map((owner) => ({ ...owner, uid: 'before' })) } });
  const snapshot = aSnapshot({ metadata: { finalizers }, spec: { vms: [] } }, [old]);
  assert.notEqual(theDataSync().metadata.uid, 'before');
  assert.deepEqual(decide(snapshot).leave, []);
});
