import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runCommand } from '#csi/command.ts';
import { writeImage } from '../oci/image.ts';
import type { DebianRoot } from '../platform/debian-root.ts';
import { makeDiskFile } from '../platform/disk-file.ts';

const mebibyte = 1024 ** 2;
/** Large enough to be a disk with something in it, small enough to be made and fetched in a moment. */
const size = { sizeBytes: 32 * mebibyte, dataBytes: 2 * mebibyte };
/** KubeVirt's own images of disks keep them here, readable by its user. */
const diskUser = 107;

/** Makes a disk image with bytes of its own, unless it is there from an earlier start. Whole or not there. */
export async function ensureDisk(root: DebianRoot, file: string): Promise<void> {
  if (existsSync(file)) return;
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.part`;
  await makeDiskFile(root, part, size);
  await rename(part, file);
}

/** Makes a container image with a disk in it, as a directory in the OCI layout. */
export async function ensureDiskImage(root: DebianRoot, directory: string, name: string): Promise<void> {
  if (existsSync(directory)) return;
  const part = `${directory}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const [disk, archive] = [`${part}.qcow2`, `${part}.tar`];
  try {
    await ensureDisk(root, disk);
    const path = 'disk/disk.qcow2';
    await writeImage(archive, {
      name,
      layers: [
        [
          { kind: 'directory', path: 'disk', owner: diskUser },
          { kind: 'file', path, source: disk, mode: 0o440, owner: diskUser },
        ],
      ],
    });
    await runCommand('tar', ['-xf', archive, '-C', part]);
    await rename(part, directory);
  } finally {
    await Promise.all([disk, archive].map((file) => rm(file, { force: true })));
  }
}

/** Where a path of a URL is kept below a directory; never outside of it. */
export function fileOf(directory: string, path: string): string {
  const file = join(directory, path);
  if (!file.startsWith(`${directory}/`)) throw new TypeError(`${path} leads out of ${directory}`);
  return file;
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
