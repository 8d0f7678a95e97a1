import { open, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { runCommand } from '../command.ts';
import { fileSystemType } from '../volume/capability.ts';
import { type Mount, parseMounts } from './mount-table.ts';
import { fileSystemBytes, superblockAt } from './superblock.ts';

/** A loop device and the file it shows. */
export interface LoopDevice {
  /** As `/dev/loop3`. */
  readonly path: string;
  /** As `7:3`. */
  readonly number: string;
  readonly image: string;
}

/** What is done to the machine: loop devices and mounts. The kernel keeps their state, so this process may be killed after any step. */
export interface Host {
  loopDevices(): Promise<LoopDevice[]>;
  mounts(): Promise<Mount[]>;
  attach(image: string): Promise<void>;
  detach(device: LoopDevice): Promise<void>;
  /** Tells a loop device that its file has grown. */
  refresh(device: LoopDevice): Promise<void>;
  mount(device: LoopDevice, path: string, flags: readonly string[]): Promise<void>;
  bind(from: string, to: string): Promise<void>;
  /** Takes the right to write away from one bind mount alone. */
  makeReadOnly(path: string): Promise<void>;
  unmount(path: string): Promise<void>;
  /** How much of a device its file system uses. */
  fileSystemBytes(device: LoopDevice): Promise<number | undefined>;
  /** Lets a file system that nobody has mounted use all of its device. */
  growUnmounted(device: LoopDevice): Promise<void>;
  /** The same for one in use; the kernel allows it only to those who may exceed resource limits. */
  growMounted(device: LoopDevice): Promise<void>;
  /** Writes to the image what is still in memory of its device. */
  flush(device: LoopDevice): Promise<void>;
  /** Lets writers go on that a copy had stopped; nothing when none were. */
  thaw(path: string): Promise<void>;
}

const blockDevices = '/sys/block';
/** e2fsck's way to say that all is well now. */
const correctedCode = 1;

/** The machine we run on. Reading needs no rights, all else needs root. */
export const realHost: Host = {
  async loopDevices() {
    const names = (await readdir(blockDevices)).filter((name) => /^loop\d+$/.test(name));
    const found = await Promise.all(
      names.map(async (name) => {
        const [image, number] = await Promise.all(
          ['loop/backing_file', 'dev'].map((file) => readFile(join(blockDevices, name, file), 'utf8').catch(() => '')),
        );
        // A device that shows no file has no backing_file.
        return image === '' ? [] : [{ path: join('/dev', name), number: number!.trim(), image: image!.trimEnd() }];
      }),
    );
    return found.flat();
  },

  async mounts() {
    return parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  },

  async attach(image) {
    await runCommand('losetup', ['--find', image]);
  },

  async detach(device) {
    await runCommand('losetup', ['--detach', device.path]);
  },

  async refresh(device) {
    await runCommand('losetup', ['--set-capacity', device.path]);
  },

  async mount(device, path, flags) {
    // Discarding returns the space of deleted files to the disk that holds the image.
    await runCommand('mount', ['-t', fileSystemType, '-o', ['discard', ...flags].join(','), device.path, path]);
  },

  async bind(from, to) {
    await runCommand('mount', ['--bind', from, to]);
  },

  async makeReadOnly(path) {
    await runCommand('mount', ['-o', 'remount,bind,ro', path]);
  },

  async unmount(path) {
    await runCommand('umount', [path]);
  },

  async fileSystemBytes(device) {
    await using file = await open(device.path, 'r');
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(superblockAt.length), position: superblockAt.offset });
    return fileSystemBytes(buffer.subarray(0, bytesRead));
  },

  async growUnmounted(device) {
    // Growing insists on a check. The copy of a file system in use has a journal to replay, which the check does as well.
    await runCommand('e2fsck', ['-f', '-p', device.path], { isFine: (code) => code === 0 || code === correctedCode });
    await runCommand('resize2fs', [device.path]);
  },

  async growMounted(device) {
    await runCommand('resize2fs', [device.path]);
  },

  async flush(device) {
    await using file = await open(device.path, 'r+');
    await file.sync();
  },

  async thaw(path) {
    // It refuses what is not frozen, which is the usual case.
    await runCommand('fsfreeze', ['--unfreeze', path]).catch(() => undefined);
  },
};

/** The mounts that show a loop device: its file system, or the device itself bound to a file. */
export function mountsOf(device: LoopDevice, mounts: readonly Mount[]): Mount[] {
  return mounts.filter(({ device: number, root }) => number === device.number || root === `/${basename(device.path)}`);
}
