import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachine, VMDiskImage } from '@terrain/api';
import { aVirtualMachine } from '@terrain/api/testing';
import { defaultScenario } from '@terrain/embedded/testing';
import { ApiError, compareVersions } from '@terrain/runtime';
import { hold } from './hold.ts';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { observing } from './watched.ts';

const slow = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 600_000, bind: 20, snapshot: 50, podStop: 50 },
};

const machines = (stage: Stage) => stage.resource<VirtualMachine>(types.machines);
const aMachine = (stage: Stage, name: string, image: string, namespace = stage.namespace): VirtualMachine =>
  aVirtualMachine({ metadata: { name, namespace }, spec: { vmDiskImageRef: { name: image, namespace: stage.namespace } } });
const deleteImage = (stage: Stage, name: string): Promise<unknown> =>
  stage.resource(types.images).delete({ name, namespace: stage.namespace });
const removeMachine = (stage: Stage, name: string): Promise<unknown> =>
  machines(stage).delete({ name, namespace: stage.namespace });

test('deleting an image removes its snapshot, then its volume, and itself', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.phase('debian', 'Succeeded');
  await observing(stage, async (observer) => {
    await deleteImage(stage, 'debian');
    await stage.until('it to be gone', () => stage.image('debian') === undefined);
    await observer.caughtUp();
    const gone = observer.history
      .filter(({ type, object }) => type === 'DELETED' && object.metadata.namespace === stage.namespace)
      .map(({ object }) => object.kind);
    assert.deepEqual(gone, ['VolumeSnapshot', 'DataVolume', 'VMDiskImage']);
  });
});

test('deleting an image in mid-sync ends the download and frees its slot', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '1' } });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('first');
    await stage.until('a download', () => stage.things(types.dataVolumes)[0]);
    await stage.createImage('second', { sim: 'import:10ms' });
    await stage.reason('second', 'Queued');
    await deleteImage(stage, 'first');
    await stage.phase('second', 'Succeeded');
    assert.equal(stage.image('first'), undefined);
  });
});

/** Once the platform has put its own finalizers on it: it writes the whole list. */
const firstSnapshot = (stage: Stage): Promise<string> =>
  stage.until('a snapshot', () => {
    const cut = stage.things(types.snapshots)[0]?.metadata;
    return (cut?.finalizers ?? []).length > 0 && cut?.name;
  });

test('an image whose snapshot never became ready and does not go gives its slot back', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '1' } });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('first', { sim: 'import:10ms;snapshot-never' });
    const snapshot = await firstSnapshot(stage);
    await using _ = await hold(stage, types.snapshots, snapshot);
    await stage.createImage('second', { sim: 'import:10ms' });
    await stage.reason('second', 'Queued');
    await deleteImage(stage, 'first');
    await stage.phase('second', 'Succeeded');
    assert.notEqual(stage.image('first'), undefined);
    const volumes = stage.things(types.dataVolumes).filter(({ metadata }) => metadata.name?.startsWith('first-') === true);
    assert.deepEqual(
      volumes.map(({ metadata }) => metadata.deletionTimestamp),
      [undefined],
      'the volume stays for its snapshot',
    );
  });
  await stage.until('it to be gone', () => stage.image('first') === undefined);
});

test('the download of a newer source ends with its image, though the snapshot of the older one does not go', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '1' } });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('first', { sim: 'import:10ms' });
    const { status } = await stage.phase('first', 'Succeeded');
    await using _ = await hold(stage, types.snapshots, status?.artifact?.volumeSnapshot ?? '');
    await stage.changeSpec('first', { url: 'https://images.example.com/newer.qcow2' });
    await stage.until('a second download', () => stage.things(types.dataVolumes).length === 2);
    await deleteImage(stage, 'first');
    await stage.createImage('second', { sim: 'import:10ms' });
    await stage.phase('second', 'Succeeded');
    const left = stage.things(types.dataVolumes).filter(({ metadata }) => metadata.name?.startsWith('first-') === true);
    assert.deepEqual(
      left.map(({ metadata }) => metadata.name),
      [status?.artifact?.dataVolume],
    );
  });
  await stage.until('it to be gone', () => stage.image('first') === undefined);
});

test('an image deleted and made again under its name in mid-sync starts from nothing', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '2' } });
  await stage.startOperator();
  await observing(stage, async () => {
    const first = await stage.createImage('debian');
    const { metadata } = first;
    const old = await stage.until('a download', () => stage.downloadsOf(first) === 1 && stage.things(types.dataVolumes)[0]);
    await deleteImage(stage, 'debian');
    await stage.until('it to be gone', () => stage.image('debian')?.metadata.uid !== metadata.uid);
    await stage.createImage('debian', { sim: 'import:10ms' });
    const image = await stage.phase('debian', 'Succeeded');
    assert.notEqual(image.status?.artifact?.dataVolume, old.metadata.name);
    assert.equal(image.status?.attempt?.number, 1);
    assert.deepEqual([stage.downloadsOf(first), stage.downloadsOf(image)], [1, 1]);
    await stage.until(
      'one volume and no slot',
      () => stage.things(types.dataVolumes).length === 1 && stage.ledger().entries.size === 0,
    );
  });
});

test('an image torn out without its finalizer leaves no slot behind', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '1' } });
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.until('a download', () => stage.things(types.dataVolumes)[0]);
  await stage
    .resource(types.images)
    .mergePatch({ name: 'debian', namespace: stage.namespace }, { metadata: { finalizers: null } });
  await deleteImage(stage, 'debian');
  await stage.createImage('next', { sim: 'import:10ms' });
  await stage.phase('next', 'Succeeded');
  await stage.until('a free slot', () => stage.ledger().entries.size === 0);
});

test('an image in use cannot be deleted, nor its namespace; when the last machine goes, both can', async () => {
  await using stage = await Stage.open();
  await stage.startOperator();
  await stage.createImage('debian');
  await stage.phase('debian', 'Succeeded');
  for (const name of ['a', 'b', 'c', 'd']) await machines(stage).create(aMachine(stage, name, 'debian'));
  const image = await stage.until('four references', () =>
    stage.image('debian')?.status?.references === 4 ? stage.image('debian') : undefined,
  );
  assert.deepEqual(
    image.status?.referencedBy,
    ['a', 'b', 'c'].map((name) => `${stage.namespace}/${name}`),
  );
  assert.ok(image.metadata.finalizers?.includes('pelotech.ot/in-use'));
  const newest =
    (await machines(stage).list({ namespace: stage.namespace })).items
      .map(({ metadata }) => metadata.resourceVersion ?? '')
      .sort(compareVersions)
      .at(-1) ?? '';
  assert.ok(
    compareVersions(image.status?.referencesAsOf ?? '0', newest) >= 0,
    'counted up to the newest machine that has no disk yet',
  );
  await assert.rejects(
    deleteImage(stage, 'debian'),
    (error) => error instanceof ApiError && error.code === 403 && /in use by 4 virtual machines/.test(error.message),
  );
  await assert.rejects(
    stage.resource(types.namespaces).delete({ name: stage.namespace }),
    /holds disk images that virtual machines boot from/,
  );
  for (const name of ['a', 'b', 'c', 'd']) await removeMachine(stage, name);
  await stage.until(
    'no references',
    () =>
      stage.image('debian')?.status?.references === 0 &&
      stage.image('debian')?.metadata.finalizers?.includes('pelotech.ot/in-use') === false,
  );
  await stage.until('an unmarked namespace', () => {
    const namespace = stage.informers.get<Thing>(types.namespaces).store.get(stage.namespace);
    return namespace !== undefined && namespace.metadata.labels?.['pelotech.ot/images-in-use'] === undefined;
  });
  await deleteImage(stage, 'debian');
  await stage.until('it to be gone', () => stage.image('debian') === undefined);
});

test('an image made from a template goes after its time, one that is retained or used does not', async () => {
  await using stage = await Stage.open({ policy: { templateImageTTL: '1s' } });
  await stage.startOperator();
  const made = { labels: { 'pelotech.ot/created-by': 'test' } };
  await stage.createImage('unused', { metadata: made });
  await stage.createImage('used', { metadata: made });
  await stage.createImage('retained', { metadata: made, spec: { retain: true } });
  await stage.createImage('pipeline');
  await machines(stage).create(aMachine(stage, 'm', 'used'));
  await stage.until('the unused one to be gone', () => stage.image('unused') === undefined);
  for (const name of ['used', 'retained', 'pipeline']) await stage.phase(name, 'Succeeded');
  await removeMachine(stage, 'm');
  await stage.until('the used one to be gone', () => stage.image('used') === undefined);
  for (const name of ['retained', 'pipeline']) assert.equal(stage.image(name)?.metadata.deletionTimestamp, undefined, name);
});

test('a namespace deleted in mid-sync is not held for ever, and gives its slots back', async () => {
  await using stage = await Stage.open({ scenario: slow, policy: { concurrency: '1' } });
  await stage.startOperator();
  const doomed = await stage.cluster.namespace('doomed');
  await stage.createImage('debian', { namespace: doomed });
  await stage.until(
    'a download',
    () => stage.ledger().entries.size === 1 && stage.image('debian', doomed)?.status?.phase === 'Syncing',
  );
  await stage.resource(types.namespaces).delete({ name: doomed });
  await stage.until(
    'the namespace to be gone',
    () => stage.informers.get<Thing>(types.namespaces).store.get(doomed) === undefined,
  );
  await stage.until('a free slot', () => stage.ledger().entries.size === 0);
});

test('the same name in two namespaces: the fate of one does not touch the other', async () => {
  await using stage = await Stage.open({ policy: { retryLimit: '0' } });
  await stage.startOperator();
  const other = await stage.cluster.namespace('twin');
  await stage.createImage('debian', { namespace: other, sim: 'http:404' });
  await stage.createImage('debian');
  const here = await stage.phase('debian', 'Succeeded');
  const there = await stage.phase('debian', 'Failed', other);
  assert.deepEqual([stage.downloadsOf(here), stage.downloadsOf(there)], [1, 1]);
  assert.equal(stage.things(types.dataVolumes).length, 1);
  const images: VMDiskImage[] = stage.images().filter(({ metadata }) => metadata.name === 'debian');
  assert.equal(images.length, 2);
});
