import assert from 'node:assert/strict';
import { existsSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realHost } from '#csi/node/host.ts';
import { crashEverywhere } from './crash.ts';
import { freeMachine, type Place, placeOf, publish } from './node-stand.ts';
import { rootTest } from './root.ts';
import { mountCapability, type Stand, size } from './stand.ts';

const volumeCapability = mountCapability;
const cleanUp = (stand: Stand) => freeMachine(stand.directory);
const mountedPaths = async (stand: Stand) =>
  (await realHost.mounts()).map(({ path }) => path).filter((path) => path.startsWith(`${stand.directory}/`));
const deviceCount = async (stand: Stand) =>
  (await realHost.loopDevices()).filter(({ image }) => image.startsWith(`${stand.directory}/`)).length;

/** A copy that is larger than its source, so that staging it has all the steps there are. */
async function largerCopy(stand: Stand): Promise<Place> {
  const source = await stand.createVolume('source');
  const volumeContentSource = { volume: { volumeId: source.volumeId } };
  const { volumeId } = await stand.createVolume('copy', { volumeContentSource, capacityRange: { requiredBytes: 2 * size } });
  return placeOf(stand, volumeId);
}

async function published(stand: Stand): Promise<Place> {
  const place = await largerCopy(stand);
  await publish(stand, place);
  writeFileSync(join(place.targetPath, 'file'), 'kept');
  return place;
}

rootTest('killed at every step of staging, the driver stages once and with the whole size', async () => {
  const steps = await crashEverywhere<Place>({
    prepare: largerCopy,
    request: (place) => ['nodeStageVolume', { ...place, volumeCapability }],
    check: async (stand, { stagingTargetPath }) => {
      assert.deepEqual([await mountedPaths(stand), await deviceCount(stand)], [[stagingTargetPath], 1]);
      const { blocks, bsize } = statfsSync(stagingTargetPath);
      assert.ok(blocks * bsize > size * 1.6);
    },
    cleanUp,
  });
  assert.equal(steps, 4, 'attach, refresh, grow, mount');
});

rootTest('killed at every step of publishing read-only, the driver publishes once and read-only', async () => {
  const steps = await crashEverywhere<Place>({
    prepare: async (stand) => {
      const place = await largerCopy(stand);
      await stand.client.call('nodeStageVolume', { ...place, volumeCapability });
      return place;
    },
    request: (place) => ['nodePublishVolume', { ...place, volumeCapability, readonly: true }],
    check: async (stand, { targetPath }) => {
      assert.equal((await mountedPaths(stand)).filter((path) => path === targetPath).length, 1);
      assert.throws(() => writeFileSync(join(targetPath, 'file'), 'x'), { code: 'EROFS' });
    },
    cleanUp,
  });
  assert.equal(steps, 2, 'bind, make read-only');
});

rootTest('killed at every step of unpublishing and unstaging, the driver leaves nothing mounted and nothing lost', async () => {
  const unpublishing = await crashEverywhere<Place>({
    prepare: published,
    request: (place) => ['nodeUnpublishVolume', place],
    check: async (stand, { targetPath, stagingTargetPath }) => {
      assert.deepEqual(await mountedPaths(stand), [stagingTargetPath]);
      assert.ok(!existsSync(targetPath));
    },
    cleanUp,
  });
  const unstaging = await crashEverywhere<Place>({
    prepare: async (stand) => {
      const place = await published(stand);
      await stand.client.call('nodeUnpublishVolume', place);
      return place;
    },
    request: (place) => ['nodeUnstageVolume', place],
    check: async (stand, place) => {
      assert.deepEqual([await mountedPaths(stand), await deviceCount(stand)], [[], 0]);
      await publish(stand, place);
      assert.equal(readFileSync(join(place.targetPath, 'file'), 'utf8'), 'kept');
    },
    cleanUp,
  });
  assert.deepEqual([unpublishing, unstaging], [1, 2]);
});
