/** What an operator for the same job got wrong, as far as no other suite would tell if this one did; defects.test.ts has all of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import type { VMDiskImage } from '@terrain/api';
import { defaultScenario } from '@terrain/embedded/testing';
import type { ResourceType } from '@terrain/runtime';
import { Stage } from './stage.ts';
import { type Thing, types } from './types.ts';
import { observing } from './watched.ts';

const scenario = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 300, bind: 20, snapshot: 100, podStop: 20 },
};
const finalizer = 'pelotech.ot/cleanup';

/** Events of an image, as they are stored. */
async function notesOf(stage: Stage, image: string): Promise<string[]> {
  const { items } = await stage.resource(types.events).list({ namespace: stage.namespace });
  return items
    .map((event) => event as unknown as { note?: string; regarding?: { kind?: string; name?: string } })
    .filter(({ regarding }) => regarding?.kind === 'VMDiskImage' && regarding.name === image)
    .map(({ note = '' }) => note);
}

test('who waits asks for nothing and says nothing', async () => {
  await using stage = await Stage.open({ scenario, policy: { concurrency: '1' } });
  const proxy = await stage.proxy();
  await stage.startOperator({ through: proxy.credentials });
  const names = Array.from({ length: 6 }, (_, index) => `img-${index}`);
  for (const name of names) await stage.createImage(name, { sim: 'stuck' });
  for (const name of names.slice(1)) await stage.reason(name, 'Queued');
  await stage.until('a download', () => stage.things(types.dataVolumes)[0]?.status?.phase === 'ImportScheduled');
  // The note of the download that runs is the last thing anybody has to say.
  await stage.until('its note', () => stage.image('img-0')?.status?.attempt?.dataVolumeUID);
  // A kind that nobody serves is looked for again now and then, whether or not images wait.
  const asked = (): number => proxy.log.requests.filter(({ verb, code }) => verb !== 'watch' && code !== 404).length;
  const before = asked();
  // The predecessor asked every ten seconds.
  await pass(11_000);
  assert.equal(asked(), before, JSON.stringify(proxy.log.requests.slice(-3)));
  for (const name of names) assert.deepEqual(await notesOf(stage, name), []);
});

test('one image after another, whatever people and the server do to them', async (t) => {
  await using stage = await Stage.open({
    scenario,
    policy: { concurrency: '10', retryLimit: '1', retryBackoffDuration: '100ms' },
  });
  const proxy = await stage.proxy({
    rules: [{ on: 'request', match: { verb: 'delete' }, nth: { from: 1, to: 3 }, do: { fault: 'answer', code: 500 } }],
  });
  await stage.startOperator({ through: proxy.credentials });
  await observing(stage, async (observer) => {
    await t.test('the snapshot is cut when all data is there', async () => {
      await stage.createImage('cut', { sim: 'import:1s;snapshot-slow:1s' });
      const { metadata } = await stage.phase('cut', 'Succeeded');
      await observer.caughtUp(metadata.resourceVersion);
      const order = observer.history.flatMap(({ type, resource, object }) => {
        const thing = object as Thing;
        if (thing.metadata.labels?.['pelotech.ot/image'] !== 'cut' && thing.metadata.name !== 'cut') return [];
        if (resource.plural === 'volumesnapshots' && type === 'ADDED') return ['cut'];
        if (resource.plural === 'volumesnapshots' && thing.status?.readyToUse === true) return ['ready to use'];
        if (resource.plural === 'datavolumes' && thing.status?.phase === 'Succeeded') return ['complete'];
        return thing.status?.phase === 'Succeeded' ? ['Ready'] : [];
      });
      assert.deepEqual([...new Set(order)], ['complete', 'cut', 'ready to use', 'Ready']);
    });

    await t.test('a failed attempt leaves the finalizer alone', async () => {
      await stage.createImage('failing', { sim: 'fail:1' });
      const { metadata } = await stage.phase('failing', 'Succeeded');
      await observer.caughtUp(metadata.resourceVersion);
      const bare = observer
        .historyOf(types.images, { name: 'failing', namespace: stage.namespace })
        .filter(({ object }) => object.metadata.finalizers?.includes(finalizer) !== true);
      assert.equal(bare.length, 0);
    });

    await t.test('somebody who writes all the time makes nothing fail', async () => {
      await stage.createImage('busy', { sim: 'import:2s' });
      for (let count = 0; stage.image('busy')?.status?.phase !== 'Succeeded' && count < 2000; count++)
        await stage.annotate('busy', { 'example.com/count': String(count) });
      const { status } = await stage.phase('busy', 'Succeeded');
      assert.deepEqual([status?.attempt?.number, status?.retry?.failures], [1, undefined]);
    });

    await t.test('what only looks like a child is left alone', async () => {
      const long = `long-${'x'.repeat(58)}`;
      await stage.createImage(long);
      await stage.phase(long, 'Succeeded');
      const stranger = await stage.resource(types.configMaps).create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'stranger', namespace: stage.namespace },
      });
      const kinds = [types.dataVolumes, types.snapshots];
      const decoys: Thing[] = [];
      for (const type of kinds) {
        const child = stage.things(type).find(({ metadata }) => metadata.name?.startsWith('long-'));
        assert.ok(child !== undefined, `there is none of ${type.plural} to look like`);
        for (const owner of [undefined, stranger]) decoys.push(await decoyOf(stage, type, child, owner));
      }
      await stage.resource(types.images).delete({ name: long, namespace: stage.namespace });
      await stage.until('it to be gone', () => stage.image(long) === undefined);
      const left = (await Promise.all(kinds.map((type) => stage.resource(type).list({ namespace: stage.namespace }))))
        .flatMap(({ items }) => items)
        .filter(({ metadata }) => metadata.name?.startsWith('decoy-') && metadata.deletionTimestamp === undefined);
      for (const { metadata } of left.filter(({ kind }) => kind === 'DataVolume'))
        await stage.resource(types.dataVolumes).delete({ name: metadata.name ?? '', namespace: stage.namespace });
      assert.deepEqual(
        left.map(({ metadata }) => metadata.uid),
        decoys.map(({ metadata }) => metadata.uid),
      );
    });

    await t.test('a deletion that fails is tried again', async () => {
      assert.ok(
        proxy.log.requests.some(({ verb, fault }) => verb === 'delete' && fault === 'answer'),
        'no deletion failed, so nothing was shown',
      );
      await stage.resource(types.images).delete({ name: 'cut', namespace: stage.namespace });
      await stage.until('it to be gone', () => stage.image('cut') === undefined);
    });

    await t.test('texts are told as they are, and no right is missing', async () => {
      await stage.createImage('percent', { spec: { url: 'https://images.example.com/100%25d%25s.qcow2?sim=refused' } });
      const image: VMDiskImage = await stage.phase('percent', 'Failed');
      assert.match(image.status?.retry?.lastMessage ?? '', /100%25d%25s\.qcow2/);
      const told = await eventually(() => notesOf(stage, 'percent'));
      assert.match(told.join('\n'), /100%25d%25s\.qcow2/);
      const forbidden = proxy.log.requests.filter(({ code, resource }) => code === 403 && resource !== 'datavolumes');
      assert.deepEqual(
        forbidden.map(({ verb, resource }) => `${verb} ${resource}`),
        [],
      );
    });
  });
});

/**
 * One that differs from a child of ours by its name and its owner only. Labelled afterwards: the API server lets nobody create a
 * DataVolume with the label of an attempt.
 */
async function decoyOf(stage: Stage, type: ResourceType, child: Thing, owner: Thing | undefined): Promise<Thing> {
  const { apiVersion, kind, spec } = child;
  const name = `decoy-${owner === undefined ? 'orphan' : 'owned'}`;
  const reference = owner && {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
  };
  const ownerReferences = reference === undefined ? [] : [{ ...reference, controller: true }];
  const { namespace } = stage;
  await stage.resource(type).create({ apiVersion, kind, metadata: { name, namespace, ownerReferences }, ...(spec && { spec }) });
  return stage.resource(type).mergePatch({ name, namespace }, { metadata: { labels: child.metadata.labels } });
}

/** Events come some time after what they tell of. */
async function eventually(read: () => Promise<string[]>): Promise<string[]> {
  for (;;) {
    const found = await read();
    if (found.length > 0) return found;
  }
}
