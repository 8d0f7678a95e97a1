import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { DriverOptions } from '#csi/driver.ts';
import { realHost } from '#csi/node/host.ts';
import { blockCapability, mountCapability, Stand } from './stand.ts';

export interface Place {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
  readonly targetPath: string;
}

/** Where a volume is staged and published in a stand's directory. */
export function placeOf(stand: Stand, volumeId: string, name = volumeId): Place {
  return {
    volumeId,
    stagingTargetPath: join(stand.directory, `stage-${volumeId}`),
    targetPath: join(stand.directory, `target-${name}`),
  };
}

/** A stand whose mounts and loop devices are gone when the test ends, however it ends. */
export function nodeStand(t: TestContext, options: Partial<DriverOptions> = {}): Promise<Stand> {
  return Stand.of(t, options, freeMachine);
}

/** Undoes every mount and loop device that belongs to a directory. */
export async function freeMachine(directory: string): Promise<void> {
  const mounts = (await realHost.mounts()).filter(({ path }) => path.startsWith(`${directory}/`));
  for (const { path } of mounts.reverse()) await realHost.unmount(path);
  const devices = (await realHost.loopDevices()).filter(({ image }) => image.startsWith(`${directory}/`));
  for (const device of devices) await realHost.detach(device);
}

export async function publish(stand: Stand, place: Place, more: object = {}): Promise<void> {
  const request = { ...place, volumeCapability: mountCapability, ...more };
  await stand.client.call('nodeStageVolume', request);
  await stand.client.call('nodePublishVolume', request);
}

export function publishBlock(stand: Stand, place: Place): Promise<void> {
  return publish(stand, place, { volumeCapability: blockCapability });
}

export async function unpublish(stand: Stand, place: Place): Promise<void> {
  await stand.client.call('nodeUnpublishVolume', place);
  await stand.client.call('nodeUnstageVolume', place);
}
