import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readFileSync, statfsSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '#csi/command.ts';
import { realHost } from '#csi/node/host.ts';
import { mayExceedLimits } from '#csi/service/identity.ts';
import { nodeStand, type Place, placeOf, publish, publishBlock, unpublish } from './node-stand.ts';
import { rootTest } from './root.ts';
import { blockCapability, code, mebibyte, mountCapability, Stand, size } from './stand.ts';

const block = { volumeCapabilities: [blockCapability] };
const devicesBelow = async (directory: string) =>
  (await realHost.loopDevices()).filter(({ image }) => image.startsWith(`${directory}/`));
const mountsBelow = async (directory: string) =>
  (await realHost.mounts()).map(({ path }) => path).filter((path) => path.startsWith(`${directory}/`));

async function publishedVolume(stand: Stand, name: string, more: object = {}): Promise<Place> {
  const place = placeOf(stand, (await stand.createVolume(name, more)).volumeId);
  await publish(stand, place);
  return place;
}

rootTest(
  'a published volume keeps its files, holds no more than its size, and leaves nothing mounted when it goes',
  async (t) => {
    const stand = await nodeStand(t);
    const place = await publishedVolume(stand, 'a');
    writeFileSync(join(place.targetPath, 'file'), 'kept');
    const { blocks, bsize } = statfsSync(place.targetPath);
    assert.ok(blocks * bsize <= size && blocks * bsize > size * 0.8, `${blocks * bsize} of ${size}`);
    const filler = openSync(join(place.targetPath, 'filler'), 'w');
    assert.throws(
      () => {
        for (let written = 0; written <= size; written += mebibyte) writeSync(filler, Buffer.alloc(mebibyte, 'x'));
      },
      { code: 'ENOSPC' },
    );
    closeSync(filler);

    await publish(stand, place);
    assert.equal((await mountsBelow(stand.directory)).length, 2, 'staged once and published once, however often asked');
    await unpublish(stand, place);
    await unpublish(stand, place);
    assert.deepEqual([await mountsBelow(stand.directory), await devicesBelow(stand.directory)], [[], []]);
    assert.ok(!existsSync(place.targetPath));
    await publish(stand, place);
    assert.equal(readFileSync(join(place.targetPath, 'file'), 'utf8'), 'kept');
  },
);

rootTest('a snapshot of a volume in use is a sound file system with the files of its moment', async (t) => {
  const stand = await nodeStand(t);
  const source = await publishedVolume(stand, 'source');
  writeFileSync(join(source.targetPath, 'file'), 'before');
  const { snapshotId } = await stand.createSnapshot('cut', source.volumeId);
  await runCommand('e2fsck', ['-n', '-f', stand.image('snapshots', snapshotId)]);
  writeFileSync(join(source.targetPath, 'file'), 'after!');
  const capacityRange = { requiredBytes: 2 * size };
  const restored = await publishedVolume(stand, 'restored', {
    capacityRange,
    volumeContentSource: { snapshot: { snapshotId } },
  });
  assert.equal(readFileSync(join(restored.targetPath, 'file'), 'utf8'), 'before');
  const { blocks, bsize } = statfsSync(restored.targetPath);
  assert.ok(blocks * bsize > size * 1.6, 'the file system of a larger copy has grown');
  const cloned = await publishedVolume(stand, 'cloned', { volumeContentSource: { volume: { volumeId: source.volumeId } } });
  assert.equal(readFileSync(join(cloned.targetPath, 'file'), 'utf8'), 'after!');
});

rootTest('a block volume is a device of its size; its snapshot has what was written to the device', async (t) => {
  const stand = await nodeStand(t);
  const { volumeId } = await stand.createVolume('a', block);
  const place = placeOf(stand, volumeId);
  await publishBlock(stand, place);
  assert.ok(statSync(place.targetPath).isBlockDevice());
  assert.equal((await runCommand('blockdev', ['--getsize64', place.targetPath])).trim(), String(size));
  {
    await using device = await open(place.targetPath, 'r+');
    await device.write(Buffer.alloc(4096, 'd'), 0, 4096, 8192);
  }
  const { snapshotId } = await stand.createSnapshot('cut', volumeId);
  assert.ok(readFileSync(stand.image('snapshots', snapshotId)).subarray(8192, 12288).equals(Buffer.alloc(4096, 'd')));

  await stand.client.call('controllerExpandVolume', { volumeId, capacityRange: { requiredBytes: 2 * size } });
  await stand.client.call('nodeExpandVolume', { volumeId, volumePath: place.targetPath });
  assert.equal((await runCommand('blockdev', ['--getsize64', place.targetPath])).trim(), String(2 * size));
  const stats = await stand.client.call<{ usage: { total: number }[] }>('nodeGetVolumeStats', {
    volumeId,
    volumePath: place.targetPath,
  });
  assert.equal(stats.usage[0]?.total, 2 * size);
  await unpublish(stand, place);
  assert.deepEqual([await mountsBelow(stand.directory), await devicesBelow(stand.directory)], [[], []]);
});

rootTest('an expanded volume has its new size at once where the kernel allows it, else when it is next staged', async (t) => {
  const stand = await nodeStand(t);
  const place = await publishedVolume(stand, 'a');
  writeFileSync(join(place.targetPath, 'file'), 'kept');
  const { volumeId, targetPath: volumePath } = place;
  await stand.client.call('controllerExpandVolume', { volumeId, capacityRange: { requiredBytes: 4 * size } });
  const expand = () => stand.client.call<{ capacityBytes: number }>('nodeExpandVolume', { volumeId, volumePath });
  if (!mayExceedLimits(readFileSync('/proc/self/status', 'utf8'))) {
    await assert.rejects(expand(), {
      code: code.FailedPrecondition,
      details: /CAP_SYS_RESOURCE.*it grows when the next one starts/,
    });
    await unpublish(stand, place);
    await publish(stand, place);
  }
  assert.equal((await expand()).capacityBytes, 4 * size);
  const { blocks, bsize } = statfsSync(volumePath);
  assert.ok(blocks * bsize > 3 * size, `${blocks * bsize}`);
  assert.equal(readFileSync(join(volumePath, 'file'), 'utf8'), 'kept');
});

rootTest('read-only, one writer, foreign mounts, and volumes in use: what is refused and what is kept', async (t) => {
  const stand = await nodeStand(t);
  const { client } = stand;
  const oneWriter = { mount: {}, accessMode: { mode: 'SINGLE_NODE_SINGLE_WRITER' } };
  const place = placeOf(stand, (await stand.createVolume('a')).volumeId);
  const { volumeId } = place;
  await publish(stand, place, { readonly: true });
  assert.throws(() => writeFileSync(join(place.targetPath, 'file'), 'x'), { code: 'EROFS' });
  const publishAgain = (more: object) =>
    client.call('nodePublishVolume', { ...place, volumeCapability: mountCapability, ...more });
  await assert.rejects(publishAgain({}), { code: code.AlreadyExists, details: /read-only/ });
  const second = join(stand.directory, 'second');
  await assert.rejects(publishAgain({ targetPath: second, volumeCapability: oneWriter }), {
    code: code.FailedPrecondition,
    details: /one user at a time/,
  });
  await publishAgain({ targetPath: second });
  writeFileSync(join(second, 'file'), 'x');

  const other = placeOf(stand, (await stand.createVolume('b')).volumeId);
  await client.call('nodeStageVolume', { ...other, volumeCapability: mountCapability });
  const intruder = { ...other, targetPath: second, volumeCapability: mountCapability };
  await assert.rejects(client.call('nodePublishVolume', intruder), {
    code: code.AlreadyExists,
    details: /Something else is mounted/,
  });
  const unstaged = { ...other, stagingTargetPath: join(stand.directory, 'elsewhere'), volumeCapability: mountCapability };
  await assert.rejects(client.call('nodePublishVolume', unstaged), { code: code.FailedPrecondition, details: /not staged/ });
  await assert.rejects(client.call('nodeStageVolume', { ...place, volumeCapability: blockCapability }), {
    code: code.InvalidArgument,
  });
  await assert.rejects(client.call('deleteVolume', { volumeId }), {
    code: code.FailedPrecondition,
    details: /is mounted at .*stage-/,
  });

  type Usage = { usage: { unit: string; total: number; available: number }[] };
  const stats = await client.call<Usage>('nodeGetVolumeStats', { volumeId, volumePath: second });
  assert.deepEqual(
    stats.usage.map(({ unit }) => unit),
    ['BYTES', 'INODES'],
  );
  assert.ok(stats.usage.every(({ total, available }) => total > 0 && available > 0));
  await assert.rejects(client.call('nodeGetVolumeStats', { volumeId, volumePath: stand.directory }), { code: code.NotFound });
});

rootTest(
  'a driver that is stopped leaves mounts alone, and the next one knows them; writers that were stopped go on',
  async (t) => {
    const stand = await nodeStand(t);
    const place = await publishedVolume(stand, 'a');
    await stand.close();
    await runCommand('fsfreeze', ['--freeze', place.stagingTargetPath]);
    const next = await Stand.open(stand.directory);
    try {
      // Asked like this, since a writer that nobody lets go on could never be ended.
      await assert.rejects(runCommand('fsfreeze', ['--unfreeze', place.stagingTargetPath]), 'writers already go on');
      writeFileSync(join(place.targetPath, 'file'), 'written');
      await publish(next, place);
      assert.equal((await mountsBelow(stand.directory)).length, 2);
      await unpublish(next, place);
      await next.client.call('deleteVolume', { volumeId: place.volumeId });
      assert.deepEqual([next.kept().volumes, await devicesBelow(stand.directory)], [[], []]);
    } finally {
      await next.close();
    }
  },
);
