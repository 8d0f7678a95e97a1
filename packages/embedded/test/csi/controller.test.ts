import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '#csi/command.ts';
import { Driver } from '#csi/driver.ts';
import { realDisk } from '#csi/store/disk.ts';
import { blockCapability, code, mebibyte, mountCapability, Stand, services, size } from './stand.ts';

const block = { volumeCapabilities: [blockCapability] };
const fromSnapshot = (snapshotId: string) => ({ volumeContentSource: { snapshot: { snapshotId } } });
const fromVolume = (volumeId: string) => ({ volumeContentSource: { volume: { volumeId } } });
const noId = `vol-${'0'.repeat(32)}`;

test('a file system volume is a formatted image of its size that takes up little space', async (t) => {
  const stand = await Stand.of(t);
  const volume = await stand.createVolume('a', { capacityRange: { requiredBytes: 1024 * mebibyte } });
  const image = stand.image('volumes', volume.volumeId);
  assert.equal(volume.capacityBytes, 1024 * mebibyte);
  assert.equal(statSync(image).size, 1024 * mebibyte);
  assert.ok(statSync(image).blocks * 512 < 64 * mebibyte, 'sparse');
  await runCommand('e2fsck', ['-n', '-f', image]);
});

test('a snapshot keeps the content of its moment; restored and cloned volumes have it, byte for byte', async (t) => {
  const stand = await Stand.of(t);
  const source = await stand.createVolume('source', block);
  stand.mark(source.volumeId, 'before');
  const before = readFileSync(stand.image('volumes', source.volumeId));
  const snapshot = await stand.createSnapshot('cut', source.volumeId);
  stand.mark(source.volumeId, 'after!');
  assert.equal(snapshot.sizeBytes, size);
  assert.ok(Math.abs(snapshot.creationTime.seconds - Date.now() / 1000) < 3600 && snapshot.readyToUse);

  const restored = await stand.createVolume('restored', { ...block, ...fromSnapshot(snapshot.snapshotId) });
  const cloned = await stand.createVolume('cloned', { ...block, ...fromVolume(source.volumeId) });
  assert.ok(readFileSync(stand.image('volumes', restored.volumeId)).equals(before));
  const after = readFileSync(stand.image('volumes', source.volumeId));
  assert.ok(readFileSync(stand.image('volumes', cloned.volumeId)).equals(after) && !after.equals(before));
  assert.deepEqual(restored.contentSource?.snapshot, { snapshotId: snapshot.snapshotId });

  await stand.client.call('deleteVolume', { volumeId: source.volumeId });
  const later = await stand.createVolume('later', { ...block, ...fromSnapshot(snapshot.snapshotId) });
  assert.ok(readFileSync(stand.image('volumes', later.volumeId)).equals(before), 'a snapshot outlives its volume');
});

test('a larger copy begins with its source; size unsaid means the size of the source', async (t) => {
  const stand = await Stand.of(t);
  const source = await stand.createVolume('source', block);
  stand.mark(source.volumeId, 'data');
  const content = readFileSync(stand.image('volumes', source.volumeId));
  const larger = await stand.createVolume('larger', {
    ...block,
    ...fromVolume(source.volumeId),
    capacityRange: { requiredBytes: 2 * size },
  });
  const image = readFileSync(stand.image('volumes', larger.volumeId));
  assert.equal(larger.capacityBytes, 2 * size);
  assert.ok(image.subarray(0, size).equals(content) && image.subarray(size).equals(Buffer.alloc(size)));
  const equal = await stand.createVolume('equal', { ...block, ...fromVolume(source.volumeId), capacityRange: null });
  assert.equal(equal.capacityBytes, size);
});

test('every call may be repeated', async (t) => {
  const stand = await Stand.of(t);
  const { client } = stand;
  const volume = await stand.createVolume('a');
  assert.deepEqual(await stand.createVolume('a'), volume);
  const snapshot = await stand.createSnapshot('s', volume.volumeId);
  assert.deepEqual(await stand.createSnapshot('s', volume.volumeId), snapshot);
  const expansion = { volumeId: volume.volumeId, capacityRange: { requiredBytes: 2 * size } };
  const grown = { capacityBytes: 2 * size, nodeExpansionRequired: true };
  assert.deepEqual(await client.call('controllerExpandVolume', expansion), grown);
  assert.deepEqual(await client.call('controllerExpandVolume', expansion), grown);
  for (let round = 0; round < 2; round++) {
    await client.call('deleteSnapshot', { snapshotId: snapshot.snapshotId });
    await client.call('deleteVolume', { volumeId: volume.volumeId });
  }
  assert.deepEqual(stand.kept(), { volumes: [], snapshots: [], work: [] });
});

test('what is refused, with code and sentence', async (t) => {
  const stand = await Stand.of(t);
  const { volumeId } = await stand.createVolume('a');
  const { snapshotId } = await stand.createSnapshot('s', volumeId);
  const other = await stand.createVolume('b');
  const volume = (more: object) => ({
    name: 'new',
    capacityRange: { requiredBytes: size },
    volumeCapabilities: [mountCapability],
    ...more,
  });
  const cases: Record<string, [method: string, request: object, code: keyof typeof code, details: RegExp]> = {
    'same name, other size': [
      'createVolume',
      volume({ name: 'a', capacityRange: { requiredBytes: 2 * size } }),
      'AlreadyExists',
      /a exists, but it has 33554432 bytes/,
    ],
    'same name, other mode': ['createVolume', volume({ name: 'a', ...block }), 'AlreadyExists', /it is a file system/],
    'same name, other source': [
      'createVolume',
      volume({ name: 'a', ...fromSnapshot(snapshotId) }),
      'AlreadyExists',
      /came from elsewhere/,
    ],
    'source smaller than asked': [
      'createVolume',
      volume({ ...fromSnapshot(snapshotId), capacityRange: { requiredBytes: size / 2 } }),
      'OutOfRange',
      /at least that much/,
    ],
    'source of another mode': [
      'createVolume',
      volume({ ...block, ...fromVolume(volumeId) }),
      'InvalidArgument',
      /is a file system and cannot become a block device/,
    ],
    'source that is gone': ['createVolume', volume(fromVolume(noId)), 'NotFound', /does not exist/],
    'larger than the disk': [
      'createVolume',
      volume({ capacityRange: { requiredBytes: 2 ** 50 } }),
      'OutOfRange',
      /never be filled/,
    ],
    'unknown parameter': ['createVolume', volume({ parameters: { tier: 'gold' } }), 'InvalidArgument', /no parameter tier/],
    'several nodes': [
      'createVolume',
      volume({ volumeCapabilities: [{ mount: {}, accessMode: { mode: 'MULTI_NODE_MULTI_WRITER' } }] }),
      'InvalidArgument',
      /one node/,
    ],
    'snapshot of nothing': ['createSnapshot', { name: 'x', sourceVolumeId: noId }, 'NotFound', /no volume/],
    'snapshot name of another volume': [
      'createSnapshot',
      { name: 's', sourceVolumeId: other.volumeId },
      'AlreadyExists',
      /it is of volume/,
    ],
    'expanding nothing': [
      'controllerExpandVolume',
      { volumeId: noId, capacityRange: { requiredBytes: size } },
      'NotFound',
      /no volume/,
    ],
    'expanding over the limit': [
      'controllerExpandVolume',
      { volumeId, capacityRange: { requiredBytes: 1, limitBytes: mebibyte } },
      'OutOfRange',
      /limit of 1048576|data to be held/,
    ],
    'a path as an id': [
      'controllerExpandVolume',
      { volumeId: '../../etc', capacityRange: { requiredBytes: size } },
      'NotFound',
      /no volume/,
    ],
    'attaching, which nothing here needs': ['controllerPublishVolume', { volumeId }, 'Unimplemented', /./],
  };
  for (const [name, [method, request, wanted, details]] of Object.entries(cases)) {
    await assert.rejects(stand.client.call(method, request), { code: code[wanted], details }, name);
  }
  assert.deepEqual(stand.kept().work, []);
});

test('capabilities are validated and pages of lists follow each other', async (t) => {
  const stand = await Stand.of(t);
  const { client } = stand;
  const { volumeId } = await stand.createVolume('a');
  const validate = (volumeCapabilities: object[]) =>
    client.call<{ confirmed: object | null; message: string }>('validateVolumeCapabilities', { volumeId, volumeCapabilities });
  assert.notEqual((await validate([mountCapability])).confirmed, null);
  assert.match((await validate([blockCapability])).message, /not as a block device/);

  for (const name of ['b', 'c']) await stand.createVolume(name);
  type List = { entries: { volume: { volumeId: string } }[]; nextToken: string };
  const first = await client.call<List>('listVolumes', { maxEntries: 2 });
  const second = await client.call<List>('listVolumes', { maxEntries: 2, startingToken: first.nextToken });
  assert.deepEqual(
    [...first.entries, ...second.entries].map(({ volume }) => volume.volumeId),
    stand.kept().volumes,
  );
  assert.equal(second.nextToken, '');

  const snapshot = await stand.createSnapshot('s', volumeId);
  const found = async (request: object) => (await client.call<{ entries: object[] }>('listSnapshots', request)).entries.length;
  assert.deepEqual([await found({ sourceVolumeId: volumeId }), await found({ sourceVolumeId: noId })], [1, 0]);
  assert.deepEqual([await found({ snapshotId: snapshot.snapshotId }), await found({ snapshotId: 'x' })], [1, 0]);
  const capacity = await client.call<{ availableCapacity: number; maximumVolumeSize: { value: number } }>('getCapacity');
  assert.ok(capacity.availableCapacity > 0 && capacity.maximumVolumeSize.value > capacity.availableCapacity);
});

test('while a volume is copied it cannot be deleted, and a second call for the copy is told to wait', async (t) => {
  const copying = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const copyImage: typeof realDisk.copyImage = async (...paths) => {
    copying.resolve();
    await mayEnd.promise;
    await realDisk.copyImage(...paths);
  };
  const stand = await Stand.of(t, { disk: { ...realDisk, copyImage } });
  const { volumeId } = await stand.createVolume('source', block);
  const copy = stand.createVolume('copy', { ...block, ...fromVolume(volumeId) });
  await copying.promise;
  const waits = { code: code.Aborted };
  await assert.rejects(stand.client.call('deleteVolume', { volumeId }), {
    ...waits,
    details: /copying to volume copy is under way/,
  });
  await assert.rejects(stand.createVolume('copy', { ...block, ...fromVolume(volumeId) }), waits);
  await assert.rejects(
    stand.client.call('controllerExpandVolume', { volumeId, capacityRange: { requiredBytes: 2 * size } }),
    waits,
  );
  mayEnd.resolve();
  assert.equal((await copy).capacityBytes, size);
  await stand.client.call('deleteVolume', { volumeId });
});

test('a disk that is full is said to be, and nothing is left behind', async (t) => {
  const copyImage = async (_from: string, to: string) => {
    writeFileSync(to, 'half');
    throw Object.assign(new Error('write'), { code: 'ENOSPC' });
  };
  const stand = await Stand.of(t, { disk: { ...realDisk, copyImage } });
  const { volumeId } = await stand.createVolume('source');
  await assert.rejects(stand.createSnapshot('s', volumeId), { code: code.ResourceExhausted, details: /more space than is free/ });
  assert.deepEqual(stand.kept(), { volumes: [volumeId], snapshots: [], work: [] });
});

test('two drivers never share a directory', async (t) => {
  const stand = await Stand.of(t);
  const options = { root: stand.root, socket: join(stand.directory, 'other'), nodeId: 'node1', services: await services() };
  await assert.rejects(Driver.start(options), new RegExp(`Process ${process.pid} already keeps volumes`));
});

test('a damaged record harms only its own volume, and is named', async (t) => {
  const stand = await Stand.of(t);
  const [good, bad] = [await stand.createVolume('good'), await stand.createVolume('bad')];
  await stand.close();
  writeFileSync(join(stand.root, 'volumes', bad.volumeId, 'record.json'), '{');
  const next = await Stand.open(stand.directory);
  try {
    assert.deepEqual(await next.createVolume('good'), good);
    const details = new RegExp(`${bad.volumeId}/record.json is damaged`);
    await assert.rejects(next.createVolume('bad'), { code: code.Internal, details });
    await assert.rejects(next.client.call('listVolumes'), { code: code.Internal, details });
  } finally {
    await next.close();
  }
});
