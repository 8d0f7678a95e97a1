import { createHash, randomFillSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runCommand } from '#csi/command.ts';
import type { DebianRoot } from './debian-root.ts';

const mebibyte = 1024 ** 2;

export interface DiskFileOptions {
  /** The size the machine sees. */
  readonly sizeBytes: number;
  /** How much of it is filled, with bytes that no compression makes smaller; the rest is empty. */
  readonly dataBytes: number;
  /** Default qcow2. */
  readonly format?: 'qcow2' | 'raw';
}

/** A disk image as it would be put on a server. */
export interface DiskFile {
  readonly file: string;
  readonly fileBytes: number;
  readonly sizeBytes: number;
  /** Of the file, as a download is checked. */
  readonly fileSha256: string;
  /** Of the disk in it: all bytes the machine sees. */
  readonly diskSha256: string;
}

/** Makes a disk image with qemu-img. */
export async function makeDiskFile(root: DebianRoot, file: string, options: DiskFileOptions): Promise<DiskFile> {
  const { sizeBytes, dataBytes, format = 'qcow2' } = options;
  const raw = `${file}.raw`;
  await writeSparse(raw, sizeBytes, dataBytes);
  try {
    const diskSha256 = await sha256Of(raw);
    if (format === 'raw') await rename(raw, file);
    else await runInRoot(root, 'usr/bin/qemu-img', ['convert', '-q', '-f', 'raw', '-O', format, raw, file]);
    const { size: fileBytes } = await stat(file);
    return { file, fileBytes, sizeBytes, fileSha256: await sha256Of(file), diskSha256 };
  } finally {
    await rm(raw, { force: true });
  }
}

/** Runs a program of the small Debian on files of this machine: with its own loader and libraries, since this machine may have others. */
function runInRoot(root: DebianRoot, program: string, args: readonly string[]): Promise<string> {
  const platform = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const loader = process.arch === 'arm64' ? 'usr/lib/ld-linux-aarch64.so.1' : 'usr/lib64/ld-linux-x86-64.so.2';
  const libraries = join(root.directory, `usr/lib/${platform}-linux-gnu`);
  return runCommand(join(root.directory, loader), ['--library-path', libraries, join(root.directory, program), ...args]);
}

async function writeSparse(file: string, sizeBytes: number, dataBytes: number): Promise<void> {
  await using handle = await open(file, 'w');
  const chunk = Buffer.alloc(mebibyte);
  for (let at = 0; at < dataBytes; at += chunk.length) {
    await handle.write(randomFillSync(chunk), 0, Math.min(chunk.length, dataBytes - at), at);
  }
  await handle.truncate(sizeBytes);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
