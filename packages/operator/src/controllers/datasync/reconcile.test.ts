import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImage } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { after, done, refusalOf } from '@terrain/runtime';
import { namespaceType } from '#platform/core.ts';
import { eventType, namespace, Rig } from '#testing/datasync-rig.ts';
import { item } from '#testing/datasync-world.ts';
import { dataSyncType, imageType } from './reconcile.ts';

test('a set is made, summed up while it syncs, and then left alone', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a'), item('b', { diskSize: '1Gi' })]);
  await rig.until('images', () => rig.names().length === 2);
  assert.deepEqual(rig.image('lab-7-a')?.metadata.finalizers, ['pelotech.ot/cleanup']);
  assert.deepEqual([rig.image('lab-7-a')?.spec.diskSize, rig.image('lab-7-b')?.spec.diskSize], ['32Gi', '1Gi']);
  await rig.phase('Queued');
  assert.deepEqual(rig.dataSync()?.metadata.finalizers, ['pelotech.ot/cleanup']);
  await rig.say('lab-7-a', { phase: 'Syncing', progress: '42%', message: 'downloads' });
  await rig.phase('Syncing');
  assert.equal(rig.dataSync()?.status?.images?.[0]?.progress, '42%');
  await rig.succeed('lab-7-a');
  await rig.succeed('lab-7-b');
  await rig.phase('Succeeded');
  const { 'patch datasyncs/status': statusWrites = 0, ...writes } = rig.fake.log.tally({
    verb: 'write',
    not: { resource: 'events' },
  });
  assert.deepEqual(writes, {
    'create datasyncs': 1,
    'patch datasyncs': 1,
    'create vmdiskimages': 2,
    'patch vmdiskimages/status': 3,
  });
  // Made, syncing, ready; one more if the two successes were not told within the time they are gathered.
  assert.ok(statusWrites === 3 || statusWrites === 4, `${statusWrites} status writes`);

  rig.fake.log.clear();
  rig.defaultDiskSize = '64Gi';
  await rig.resource(imageType).mergePatch({ name: 'lab-7-a', namespace }, { metadata: { annotations: { note: 'x' } } });
  await rig.resource(dataSyncType).mergePatch({ name: 'lab-7', namespace }, { metadata: { annotations: { note: 'x' } } });
  await rig.settled();
  const touched = rig.fake.log.requests.filter(({ name, userAgent }) => userAgent === 'terrain' && name?.startsWith('lab-7'));
  assert.deepEqual(touched, []);
});

test('two versions of one workspace live side by side', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a')], { metadata: { name: 'lab-7-1.4.0' }, spec: { version: '1.4.0' } });
  await rig.create([item('a')], { metadata: { name: 'lab-7-1.5.0' }, spec: { version: '1.5.0' } });
  await rig.until('images', () => rig.names().length === 2);
  assert.deepEqual(rig.names(), ['lab-7-1.4.0-a', 'lab-7-1.5.0-a']);
  assert.equal(rig.image('lab-7-1.5.0-a')?.metadata.labels?.['pelotech.ot/workspace-version'], '1.5.0');
});

test('items are added and changed, each in its own image', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a', { secretRef: 'keys' }), item('b')]);
  await rig.until('images', () => rig.names().length === 2);
  await rig.succeed('lab-7-a');
  await rig.succeed('lab-7-b');
  await rig.phase('Succeeded');
  await rig.resource(imageType).mergePatch({ name: 'lab-7-a', namespace }, { spec: { retain: true } });
  const untouched = rig.image('lab-7-b');
  await rig.setItems(item('a', { url: 'https://images.example.com/new.qcow2' }), item('b'), item('c'));
  await rig.until('third image', () => rig.names().length === 3);
  await rig.until('new url', () => rig.image('lab-7-a')?.spec.url === 'https://images.example.com/new.qcow2');
  await rig.phase('Queued');
  const { spec } = rig.image('lab-7-a') ?? assert.fail();
  assert.deepEqual([spec.secretRef, spec.retain], [undefined, true]);
  assert.deepEqual(rig.image('lab-7-b'), untouched);
  assert.deepEqual(rig.dataSync()?.status?.counts, { total: 3, queued: 2, syncing: 0, succeeded: 1, failed: 0 });
});

test('an image that is deleted by hand is made again', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a')]);
  await rig.phase('Queued');
  const { uid } = rig.image('lab-7-a')?.metadata ?? {};
  await rig.resource(imageType).delete({ name: 'lab-7-a', namespace });
  await rig.until('message', () => /is being deleted/.test(rig.dataSync()?.status?.images?.[0]?.message ?? ''));
  await rig.letGo('lab-7-a');
  await rig.until('another', () => rig.image('lab-7-a') !== undefined && rig.image('lab-7-a')?.metadata.uid !== uid);
});

test('a name that is taken is said, never taken over, and used when it is free', async () => {
  await using rig = await Rig.start();
  await rig.resource(imageType).create(aVMDiskImage({ metadata: { name: 'lab-7-a', namespace } }));
  const before = rig.image('lab-7-a');
  await rig.create([item('a'), item('b')]);
  await rig.phase('Failed');
  const ready = rig.dataSync()?.status?.conditions?.find(({ type }) => type === 'Ready');
  assert.equal(ready?.reason, 'NameTaken');
  assert.deepEqual(rig.image('lab-7-a'), before);
  assert.ok(rig.image('lab-7-b') !== undefined);
  await rig.settled();
  await rig.resource(imageType).delete({ name: 'lab-7-a', namespace });
  await rig.phase('Queued');
  assert.notEqual(rig.image('lab-7-a')?.metadata.uid, before?.metadata.uid);
});

test('an item that is removed takes its image along, unless a machine uses it', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a'), item('b'), item('c')]);
  await rig.until('images', () => rig.names().length === 3);
  for (const name of rig.names()) await rig.succeed(name);
  await rig.phase('Succeeded');
  await rig.use('lab-7-b');
  await rig.setItems(item('c'));
  await rig.until('deletion', () => rig.image('lab-7-a')?.metadata.deletionTimestamp !== undefined);
  await rig.until('release', () => rig.image('lab-7-b')?.metadata.ownerReferences === undefined);
  await rig.letGo('lab-7-a');
  await rig.until('message', () => /left in place .* VMDiskImage lab-7-b/.test(rig.dataSync()?.status?.message ?? ''));
  await rig.until('end', () => !rig.dataSync()?.status?.message?.includes('lab-7-a'));
  assert.deepEqual(rig.names(), ['lab-7-b', 'lab-7-c']);
  assert.equal(rig.image('lab-7-b')?.metadata.deletionTimestamp, undefined);
  await rig.until('event', () =>
    rig.fake.objects(eventType).some(({ reason, note }) => reason === 'ImageReleased' && String(note).includes('lab-7-b')),
  );
});

test('a DataSync that is deleted takes its unused images along, and ends when they are gone', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a'), item('b')]);
  await rig.phase('Queued');
  await rig.use('lab-7-b');
  await rig.resource(dataSyncType).delete({ name: 'lab-7', namespace }, { propagationPolicy: 'Background' });
  await rig.until('message', () => /waits for VMDiskImage lab-7-a/.test(rig.dataSync()?.status?.message ?? ''));
  assert.match(rig.dataSync()?.status?.message ?? '', /left in place .* VMDiskImage lab-7-b/);
  await rig.letGo('lab-7-a');
  await rig.until('end', () => rig.dataSync() === undefined);
  assert.deepEqual(rig.names(), ['lab-7-b']);
});

test('a pause holds everything until it is lifted', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a')], { metadata: { annotations: { 'pelotech.ot/paused': 'true' } } });
  await rig.phase('Queued');
  assert.match(rig.dataSync()?.status?.message ?? '', /paused by the annotation/);
  assert.deepEqual(rig.names(), []);
  await rig.resource(dataSyncType).mergePatch({ name: 'lab-7', namespace }, { metadata: { annotations: null } });
  await rig.until('image', () => rig.names().length === 1);
});

test('an image the server refuses is told with its words, and the others are made', async () => {
  const message = 'exceeded quota: disks';
  await using rig = await Rig.start({
    admit: ({ object }) => (object?.metadata.name === 'lab-7-a' ? { code: 422, reason: 'Invalid', message } : undefined),
  });
  await rig.create([item('a'), item('b')]);
  await rig.phase('Failed');
  assert.deepEqual(rig.names(), ['lab-7-b']);
  assert.equal(rig.dataSync()?.status?.images?.[0]?.message, `the API server refuses it: ${message}`);
  assert.equal(rig.dataSync()?.status?.conditions?.find(({ type }) => type === 'Stalled')?.reason, 'RefusedByPlatform');
});

for (const vms of [[], [item('a')]]) {
  test(`a pause does not hold up a namespace that is being deleted, with ${vms.length} images`, async () => {
    await using rig = await Rig.start();
    await rig.create(vms);
    await rig.phase(vms.length === 0 ? 'Succeeded' : 'Queued');
    const pause = { metadata: { annotations: { 'pelotech.ot/paused': 'true' } } };
    await rig.resource(dataSyncType).mergePatch({ name: 'lab-7', namespace }, pause);
    await rig.resource(dataSyncType).delete({ name: 'lab-7', namespace });
    await rig.until('message', () => /is being deleted.*; paused by/.test(rig.dataSync()?.status?.message ?? ''));
    assert.equal(rig.image('lab-7-a')?.metadata.deletionTimestamp, undefined);
    await rig.resource(namespaceType).delete({ name: namespace });
    if (vms.length > 0) await rig.letGo('lab-7-a');
    await rig.until('end', () => rig.dataSync() === undefined);
  });
}

test('an old view of the spec removes and changes nothing', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a'), item('b')]);
  await rig.phase('Queued');
  await rig.setItems(item('a', { url: 'https://images.example.com/new.qcow2' }), item('b'));
  await rig.until('new url', () => rig.image('lab-7-a')?.spec.url === 'https://images.example.com/new.qcow2');
  await rig.phase('Queued');
  const live = rig.dataSync() ?? assert.fail();
  const { generation = 0 } = live.metadata;
  // As a cache shows it that is one change behind: another url for a, and no b.
  const old = { ...live, metadata: { ...live.metadata, generation: generation - 1 }, spec: { ...live.spec, vms: [item('a')] } };
  const images = ['lab-7-a', 'lab-7-b'].map((name) => rig.image(name));
  rig.fake.log.clear();
  const written = (): string[] =>
    rig.fake.log.requests
      .filter(({ userAgent, write }) => userAgent === 'test' && write !== undefined)
      .map(({ verb, name, subresource = '' }) => `${verb} ${name} ${subresource}`.trim());
  await rig.passOver(old, images as VMDiskImage[]);
  assert.deepEqual(written(), []);
  await rig.passOver({ ...old, metadata: live.metadata }, images as VMDiskImage[]);
  assert.deepEqual(written(), ['patch lab-7-a', 'delete lab-7-b', 'patch lab-7 status']);
});

test('a name that is taken, and the cache does not know yet', async () => {
  await using rig = await Rig.start();
  await rig.resource(imageType).create(aVMDiskImage({ metadata: { name: 'lab-7-a', namespace } }));
  const before = rig.image('lab-7-a');
  await rig.create([item('a')]);
  await rig.phase('Failed');
  await rig.passOver(rig.dataSync() ?? assert.fail(), []);
  assert.deepEqual(rig.image('lab-7-a'), before);
  assert.match(rig.dataSync()?.status?.message ?? '', /lab-7-a exists already/);
});

test('an image whose last machine is still counted goes when it is not', async () => {
  const message = 'VMDiskImage is in use';
  await using rig = await Rig.start({
    admit: ({ verb, kind, object }) =>
      verb === 'delete' && kind.kind === 'VMDiskImage' && (object as unknown as VMDiskImage).status?.references === 1
        ? { code: 403, reason: 'Forbidden', message, details: { causes: [{ message }] } }
        : undefined,
  });
  await rig.create([item('a'), item('b')]);
  await rig.phase('Queued');
  await rig.say('lab-7-a', { phase: 'Queued', references: 1 });
  await rig.setItems(item('b'));
  await rig.until('message', () => /removes VMDiskImage lab-7-a/.test(rig.dataSync()?.status?.message ?? ''));
  assert.equal(rig.image('lab-7-a')?.metadata.deletionTimestamp, undefined);
  assert.doesNotMatch(rig.dataSync()?.status?.message ?? '', /refuses/);
  assert.deepEqual(await rig.passOverAll(), done);
  await rig.say('lab-7-a', { phase: 'Queued', references: 0 });
  await rig.until('deletion', () => rig.image('lab-7-a')?.metadata.deletionTimestamp !== undefined);
});

const denial = 'admission webhook "keep.example.com" denied the request: not on Fridays';
const ruling = "ValidatingAdmissionPolicy 'frozen' with binding 'frozen' denied request: not on Fridays";
const noRight = 'vmdiskimages.pelotech.ot "lab-7-a" is forbidden: User "operator" cannot delete resource "vmdiskimages"';
const webhook = { code: 400, reason: 'BadRequest', message: denial };
const policy = { code: 422, reason: 'Invalid', message: ruling, details: { causes: [{ message: ruling }] } };
const rights = { code: 403, reason: 'Forbidden', message: noRight };
const helps = '; change the rule or the rights that forbid it, and it goes on by itself within a minute';
const refusedDelete = 'the API server refuses to delete VMDiskImage lab-7-a: ';
const refusedRelease = 'the API server refuses to take the owner off VMDiskImage lab-7-a, which machines use: ';
const refusals = {
  'a webhook refuses to delete': { given: { answer: webhook, isUsed: false }, want: `${refusedDelete}${denial}${helps}` },
  'a policy of others refuses to delete': { given: { answer: policy, isUsed: false }, want: `${refusedDelete}${ruling}${helps}` },
  'the operator may not delete': { given: { answer: rights, isUsed: false }, want: `${refusedDelete}${noRight}${helps}` },
  'a webhook refuses to release': { given: { answer: webhook, isUsed: true }, want: `${refusedRelease}${denial}${helps}` },
};
for (const [sentence, { given, want }] of Object.entries(refusals))
  for (const isDeleted of [false, true])
    test(`an image that ${sentence} is told, and the others go, ${isDeleted ? 'with the DataSync' : 'without their items'}`, async () => {
      let isRefused = true;
      await using rig = await Rig.start({
        admit: ({ verb, object, subresource }) =>
          isRefused && object.metadata.name === 'lab-7-a' && verb !== 'create' && subresource === undefined
            ? given.answer
            : undefined,
      });
      await rig.create([item('a'), item('b'), item('c')]);
      await rig.phase('Queued');
      if (given.isUsed) await rig.use('lab-7-a');
      if (isDeleted) await rig.resource(dataSyncType).delete({ name: 'lab-7', namespace }, { propagationPolicy: 'Background' });
      else await rig.setItems(item('c'));
      for (const name of isDeleted ? ['lab-7-b', 'lab-7-c'] : ['lab-7-b']) {
        await rig.until(`deletion of ${name}`, () => rig.image(name)?.metadata.deletionTimestamp !== undefined);
        await rig.letGo(name);
      }
      const told = isDeleted ? `is being deleted; ${want}` : `0 of 1 images can be cloned; 1 waits; ${want}`;
      await rig.until('sentence', () => rig.dataSync()?.status?.message === told);
      assert.deepEqual(await rig.passOverAll(), after(60_000));

      isRefused = false;
      await rig.resource(dataSyncType).mergePatch({ name: 'lab-7', namespace }, { metadata: { annotations: { note: 'x' } } });
      if (given.isUsed) await rig.until('release', () => rig.image('lab-7-a')?.metadata.ownerReferences === undefined);
      else await rig.until('deletion', () => rig.image('lab-7-a')?.metadata.deletionTimestamp !== undefined);
      if (!given.isUsed) await rig.letGo('lab-7-a');
      await rig.until('end', () =>
        isDeleted ? rig.dataSync() === undefined : !/refuses/.test(rig.dataSync()?.status?.message ?? ''),
      );
    });

test('an image that has changed meanwhile is no refusal: the pass fails, and says nothing', async () => {
  await using rig = await Rig.start();
  await rig.create([item('a')]);
  await rig.phase('Queued');
  const live = rig.dataSync() ?? assert.fail();
  const images = [{ ...(rig.image('lab-7-a') ?? assert.fail()), status: { references: 1 } }];
  await rig.resource(imageType).mergePatch({ name: 'lab-7-a', namespace }, { metadata: { annotations: { note: 'x' } } });
  await assert.rejects(
    rig.passOver({ ...live, spec: { ...live.spec, vms: [] } }, images),
    (error) => refusalOf(error) === 'stale',
  );
  assert.deepEqual(rig.dataSync()?.status, live.status);
});
