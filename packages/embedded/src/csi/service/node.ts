import { existsSync } from 'node:fs';
import { mkdir, open, rmdir, stat, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { attachmentOf, isShownAt } from '../node/attachment.ts';
import type { LoopDevice } from '../node/host.ts';
import { mountAt } from '../node/mount-table.ts';
import type * as message from '../protocol/messages.ts';
import { Refusal } from '../refusal.ts';
import type { Volume } from '../store/store.ts';
import { requireMode, type VolumeMode, whyUnsuitable } from '../volume/capability.ts';
import type { ControllerParts } from './controller.ts';
import { requireText, requireVolume } from './conversion.ts';

const oneWriter = 'SINGLE_NODE_SINGLE_WRITER';

/**
 * CSI's node service. A volume is staged by giving its image a loop device (and mounting the file system in it), and published
 * by binding that to where the container expects it.
 */
export function nodeMethods({ store, host, busy }: ControllerParts) {
  return {
    async nodeStageVolume({ volumeId, stagingTargetPath, volumeCapability }: message.StageRequest): Promise<object> {
      requireText(volumeId, 'The id of the volume to stage');
      requireText(stagingTargetPath, 'The staging path');
      requireCapability(volumeCapability);
      using _volume = busy.alone(volumeId, `staging volume ${volumeId}`);
      const volume = await requireVolume(store, volumeId);
      requireSuitable(volume, volumeCapability!);
      const device = await attached(volume);
      // A file that grew while no device showed it needs no word; one that grew meanwhile does.
      await host.refresh(device);
      if (volume.mode === 'block') return {};
      const before = await attachmentOf(host, volume);
      const shown = mountAt(before.allMounts, stagingTargetPath);
      if (shown !== undefined && !isShownAt(before, shown)) throw occupied(stagingTargetPath);
      if (shown === undefined) {
        await mkdir(stagingTargetPath, { recursive: true });
        if (before.mounts.length === 0) await growToSize(volume, device);
        await host.mount(device, stagingTargetPath, volumeCapability?.mount?.mountFlags ?? []);
      }
      return {};
    },

    async nodeUnstageVolume({ volumeId, stagingTargetPath }: message.UnstageRequest): Promise<object> {
      requireText(volumeId, 'The id of the volume to unstage');
      requireText(stagingTargetPath, 'The staging path');
      using _volume = busy.alone(volumeId, `unstaging volume ${volumeId}`);
      await unmountAll(stagingTargetPath);
      const volume = await store.volume(volumeId);
      // A device that is still open is freed by the kernel when its last user closes it.
      if (volume !== undefined) for (const device of (await attachmentOf(host, volume)).devices) await host.detach(device);
      return {};
    },

    async nodePublishVolume(request: message.PublishRequest): Promise<object> {
      const { volumeId, targetPath, stagingTargetPath, volumeCapability } = request;
      requireText(volumeId, 'The id of the volume to publish');
      requireText(targetPath, 'The target path');
      requireCapability(volumeCapability);
      using _target = busy.alone(targetPath, `publishing at ${targetPath}`);
      using _volume = busy.reading(volumeId, `publishing volume ${volumeId}`);
      const volume = await requireVolume(store, volumeId);
      requireSuitable(volume, volumeCapability!);
      if (volume.mode === 'block' && request.readonly) {
        throw new Refusal('InvalidArgument', `Volume ${volumeId} is a block device, which cannot be published read-only.`);
      }
      const now = await attachmentOf(host, volume);
      const shown = mountAt(now.allMounts, targetPath);
      if (shown !== undefined && !isShownAt(now, shown)) throw occupied(targetPath);
      if (shown?.isReadOnly && !request.readonly) {
        throw new Refusal('AlreadyExists', `Volume ${volumeId} is published at ${targetPath} read-only: unpublish it first.`);
      }
      if (shown === undefined) {
        const from = volume.mode === 'block' ? now.devices[0]?.path : stagedAt(stagingTargetPath);
        if (from === undefined) throw notStaged(volumeId);
        const others = now.mounts.filter(({ path }) => path !== stagingTargetPath && path !== targetPath);
        if (volumeCapability?.accessMode?.mode === oneWriter && others.length > 0) {
          throw new Refusal(
            'FailedPrecondition',
            `Volume ${volumeId} is for one user at a time and is in use at ${others.map(({ path }) => path).join(' and ')}.`,
          );
        }
        await makeTarget(volume.mode, targetPath);
        await host.bind(from, targetPath);
      }
      if (request.readonly && !shown?.isReadOnly) await host.makeReadOnly(targetPath);
      return {};

      function stagedAt(path: string): string | undefined {
        return isShownAt(now, mountAt(now.allMounts, path)) ? path : undefined;
      }
    },

    async nodeUnpublishVolume({ volumeId, targetPath }: message.UnpublishRequest): Promise<object> {
      requireText(volumeId, 'The id of the volume to unpublish');
      requireText(targetPath, 'The target path');
      using _target = busy.alone(targetPath, `unpublishing at ${targetPath}`);
      await unmountAll(targetPath);
      await removeTarget(targetPath);
      return {};
    },

    async nodeGetVolumeStats({ volumeId, volumePath }: message.VolumePathRequest) {
      requireText(volumePath, 'The path of the volume');
      const volume = await requireShown(volumeId, volumePath);
      if (volume.mode === 'block') return { usage: [{ unit: 'BYTES', total: volume.sizeBytes }] };
      const { blocks, bavail, bfree, bsize, files, ffree } = await statfs(volumePath);
      return {
        usage: [
          { unit: 'BYTES', total: blocks * bsize, available: bavail * bsize, used: (blocks - bfree) * bsize },
          { unit: 'INODES', total: files, available: ffree, used: files - ffree },
        ],
      };
    },

    async nodeExpandVolume({ volumeId, volumePath }: message.VolumePathRequest) {
      requireText(volumePath, 'The path of the volume');
      using _volume = busy.alone(volumeId, `expanding volume ${volumeId}`);
      const volume = await requireShown(volumeId, volumePath);
      const device = await attached(volume);
      await host.refresh(device);
      if (volume.mode === 'filesystem') await growInUse(volume, device);
      return { capacityBytes: volume.sizeBytes };
    },
  };

  /** The loop device of a volume, given if it has none. */
  async function attached(volume: Volume): Promise<LoopDevice> {
    const [found] = (await attachmentOf(host, volume)).devices;
    if (found !== undefined) return found;
    await host.attach(volume.image);
    return (await attachmentOf(host, volume)).devices[0]!;
  }

  /** A copy that was made larger than its source, and a volume expanded while nobody used it, have a file system that is too small. */
  async function growToSize(volume: Volume, device: LoopDevice): Promise<void> {
    const used = await host.fileSystemBytes(device);
    if (used !== undefined && used < volume.sizeBytes) await host.growUnmounted(device);
  }

  async function growInUse(volume: Volume, device: LoopDevice): Promise<void> {
    try {
      await host.growMounted(device);
    } catch (error) {
      if (!/permission denied/i.test((error as Error).message)) throw error;
      throw new Refusal(
        'FailedPrecondition',
        `The file system of volume ${volume.id} cannot grow while it is in use, since the driver lacks CAP_SYS_RESOURCE: end the pods that use it; it grows when the next one starts.`,
        { cause: error },
      );
    }
  }

  /** A volume that is used through a path: where it was published or, for a file system, staged. */
  async function requireShown(volumeId: string, path: string): Promise<Volume> {
    const volume = await requireVolume(store, volumeId);
    const now = await attachmentOf(host, volume);
    // Kubelet names a device by paths of its own, which need not be the bound file.
    const isStagedBlock = volume.mode === 'block' && now.devices.length > 0 && existsSync(path);
    if (!isShownAt(now, mountAt(now.allMounts, path)) && !isStagedBlock) {
      throw new Refusal('NotFound', `Volume ${volumeId} is not to be found at ${path}.`);
    }
    return volume;
  }

  /** Several mounts may lie on one path after a crash or a race; the last call must leave none. */
  async function unmountAll(path: string): Promise<void> {
    const count = (await host.mounts()).filter((mount) => mount.path === path).length;
    for (let done = 0; done < count; done++) await host.unmount(path);
  }
}

function requireCapability(capability: message.VolumeCapability | null): void {
  requireMode(capability === null ? [] : [capability]);
}

function requireSuitable(volume: Volume, capability: message.VolumeCapability): void {
  const problem = whyUnsuitable(volume.mode, [capability]);
  if (problem !== undefined) throw new Refusal('InvalidArgument', problem);
}

function occupied(path: string): Refusal {
  return new Refusal('AlreadyExists', `Something else is mounted at ${path}: unmount it first.`);
}

function notStaged(volumeId: string): Refusal {
  return new Refusal('FailedPrecondition', `Volume ${volumeId} is not staged at the path given: stage it before publishing it.`);
}

async function makeTarget(mode: VolumeMode, path: string): Promise<void> {
  if (mode === 'filesystem') {
    await mkdir(path, { recursive: true });
    return;
  }
  await mkdir(dirname(path), { recursive: true });
  await using _file = await open(path, 'a', 0o600);
}

/** Only what publishing made: an empty file or directory. Anything else may be somebody's data. */
async function removeTarget(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) await rmdir(path);
  else if (found.size === 0) await unlink(path);
  else throw new Refusal('Internal', `${path} holds data that no volume put there: move it away, then unpublish again.`);
}
