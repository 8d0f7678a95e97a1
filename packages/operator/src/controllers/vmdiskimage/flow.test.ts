import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEntry, ledgerManifest, type VMDiskImage } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import type { KubeObject } from '@terrain/runtime';
import { dataVolumeType } from '#platform/cdi.ts';
import { type ConfigMap, configMapType } from '#platform/core.ts';
import { volumeSnapshotType } from '#platform/snapshot.ts';
import { at, longAgo, ownedBy, until, withOperator } from '#testing/image-rig.ts';
import { imageType } from './api-hands.ts';

test('a pruned image goes with all it made, though its own deletion wakes nobody', async () => {
  await withOperator({ templateImageTTL: '1s' }, new Date().toISOString(), async ({ fake }) => {
    await until('pruned image', () => fake.objects(imageType).length === 0);
    assert.deepEqual([fake.objects(volumeSnapshotType).length, fake.objects(dataVolumeType).length], [0, 0]);
    const deletes = fake.log.requests.filter(({ verb }) => verb === 'delete').map(({ resource }) => resource);
    assert.deepEqual(deletes, ['vmdiskimages', 'volumesnapshots', 'datavolumes']);
  });
});

for (const [what, isKept] of [
  ['a slot', true],
  ['the slot of a download that is gone', false],
] as const)
  test(`an image that only has to give back ${what} is pruned in its time all the same`, async () => {
    await withOperator({ templateImageTTL: '3s' }, new Date().toISOString(), async ({ fake, configMaps, volumes }) => {
      const image = (): VMDiskImage | undefined => fake.objects(imageType)[0] as unknown as VMDiskImage | undefined;
      await until('status', () => image()?.status?.phase === 'Succeeded');
      if (!isKept) await volumes.delete({ ...at, name: fake.objects(dataVolumeType)[0]?.metadata.name ?? '' });
      const entry = formatEntry({ image: 'vmdi-farm/debian', attempt: 1, seq: 1, since: longAgo, state: 'open' });
      const { name, namespace = '' } = ledgerManifest().metadata;
      await configMaps.mergePatch({ name, namespace }, { data: { [`entry.${image()?.metadata.uid}`]: entry } });
      await until('pruned image', () => image() === undefined);
    });
  });

test('an image there is room for starts at once, one there is no room for is called Queued', async () => {
  await withOperator({ templateImageTTL: '', concurrency: '1' }, longAgo, async ({ fake, images }) => {
    const phases = (name: string): (string | undefined)[] =>
      fake
        .changes(imageType)
        .filter(({ object }) => object.metadata.name === name)
        .map(({ object }) => (object as unknown as VMDiskImage).status?.phase);
    await until('status', () => phases('debian').includes('Succeeded'));
    await images.create(aVMDiskImage({ metadata: { name: 'first' } }) as KubeObject);
    await until('start', () => phases('first').includes('Syncing'));
    await images.create(aVMDiskImage({ metadata: { name: 'second' } }) as KubeObject);
    await until('queue', () => phases('second').includes('Queued'));
  });
});

test('a ledger that came from another cluster keeps no change of the policy from coming into force', async () => {
  await withOperator({ templateImageTTL: '', concurrency: '0' }, longAgo, async ({ fake, images, configMaps }) => {
    const { name, namespace = '' } = ledgerManifest().metadata;
    const ledger = () => fake.objects(configMapType).find(({ metadata }) => metadata.name === name) as ConfigMap;
    await until('policy in the ledger', () => ledger().data?.policyResourceVersion !== undefined);
    await configMaps.mergePatch({ name, namespace }, { data: { policyResourceVersion: '99999999' } });
    await configMaps.mergePatch({ name: 'sync-operator-policy', namespace }, { data: { concurrency: '1' } });
    await images.create(aVMDiskImage({ metadata: { name: 'first' } }) as KubeObject);
    await until('DataVolume', () => fake.objects(dataVolumeType).some(({ metadata }) => metadata.name?.startsWith('first-')));
    assert.ok(Number(ledger().data?.policyResourceVersion) <= fake.revision);
  });
});

test('a failure that CDI never told of is told by the importer, and not repeated when that would not help', async () => {
  await withOperator({ templateImageTTL: '' }, longAgo, async ({ fake, images, volumes }) => {
    const statusOf = (): VMDiskImage['status'] =>
      (fake.objects(imageType) as unknown as VMDiskImage[]).find(({ metadata }) => metadata.name === 'gone')?.status;
    const volumeOf = () => fake.objects(dataVolumeType).find(({ metadata }) => metadata.name?.startsWith('gone-'));
    await images.create(aVMDiskImage({ metadata: { name: 'gone' } }) as KubeObject);
    await until('DataVolume', () => volumeOf() !== undefined);
    const volume = volumeOf()?.metadata.name ?? '';
    const claimOf = (name: string, owner?: KubeObject): KubeObject =>
      fake.seed({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace: 'vmdi-farm', ...ownedBy(owner) },
      });
    const temporary = claimOf('prime-1', claimOf(volume));
    const message = 'Unable to connect to http data source: expected status code 200, got 404. Status: 404 Not Found';
    fake.seed({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'importer-prime-1',
        namespace: 'vmdi-farm',
        labels: { 'cdi.kubevirt.io': 'importer' },
        ...ownedBy(temporary),
      },
      status: { containerStatuses: [{ state: { running: {} }, lastState: { terminated: { exitCode: 1, message } } }] },
    } as never);
    const status = { phase: 'ImportInProgress', restartCount: 1, conditions: [{ type: 'Running', status: 'True' }] };
    await volumes.mergePatch({ name: volume, namespace: 'vmdi-farm' }, { status });
    await until('end', () => statusOf()?.phase === 'Failed');
    assert.deepEqual([statusOf()?.retry?.lastReason, statusOf()?.retry?.lastMessage], ['SourceNotFound', message]);
  });
});

test('a quiet image costs no write, and nothing is done by defaults before the policy is known', async () => {
  await withOperator({ templateImageTTL: '' }, longAgo, async ({ fake, images }) => {
    const statusOf = (name: string): VMDiskImage['status'] =>
      (fake.objects(imageType).find(({ metadata }) => metadata.name === name) as unknown as VMDiskImage | undefined)?.status;
    await until('status', () => statusOf('debian')?.phase === 'Succeeded');
    const writes = (): number => fake.log.count({ verb: 'write', not: { resource: 'configmaps' } });
    const before = writes();
    for (let turn = 1; turn <= 3; turn++) await images.mergePatch(at, { metadata: { labels: { turn: String(turn) } } });
    await images.create(
      aVMDiskImage({ metadata: { name: 'probe', annotations: { 'pelotech.ot/paused': 'true' } } }) as KubeObject,
    );
    await until('status of another image', () => statusOf('probe')?.phase === 'Queued');
    // Three patches and one create of ours, one status of the other image.
    assert.equal(writes() - before, 5);
  });
});
