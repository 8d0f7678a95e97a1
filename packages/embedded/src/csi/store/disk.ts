import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { runCommand, runToTheEnd } from '../command.ts';
import { fileSystemType } from '../volume/capability.ts';

/**
 * Every change that is made where volumes are kept, one step each. After any of them this process may be killed: what a step
 * leaves behind is either complete or lies in the work directory, which is emptied at the next start.
 */
export interface Disk {
  makeDirectory(path: string): Promise<void>;
  writeFile(path: string, text: string): Promise<void>;
  /** Makes a file that reads as zeros and takes up no space. */
  makeImage(path: string, sizeBytes: number): Promise<void>;
  /** Puts an empty file system into an image. */
  format(image: string): Promise<void>;
  /** Copies an image, sharing its blocks where the file system can. `frozenAt` names where its file system is mounted, to hold it still meanwhile. */
  copyImage(from: string, to: string, frozenAt: string | undefined): Promise<void>;
  /** Lengthens an image; a shorter one would lose data, so a smaller size changes nothing. */
  growImage(image: string, sizeBytes: number): Promise<void>;
  /** Moves a directory to another place of the same disk, in one step. */
  move(from: string, to: string): Promise<void>;
  /** Removes a directory with all that is in it. */
  remove(path: string): Promise<void>;
}

/** Freezing stops all writers, so whoever froze must thaw even if the driver is killed in between: hence a script of its own. */
const copyFrozen = 'fsfreeze --freeze "$3" && { cp --reflink=auto -- "$1" "$2"; code=$?; fsfreeze --unfreeze "$3"; exit $code; }';

/** The disk as it is. Needs no special rights except to freeze. */
export const realDisk: Disk = {
  async makeDirectory(path) {
    await mkdir(path, { mode: 0o700 });
  },

  async writeFile(path, text) {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
  },

  async makeImage(path, sizeBytes) {
    await using file = await open(path, 'wx', 0o600);
    await file.truncate(sizeBytes);
    await file.sync();
  },

  async format(image) {
    // The image reads as zeros already, so neither inode tables nor the journal need to be written.
    const options = 'lazy_itable_init=1,lazy_journal_init=1,root_owner=0:0';
    await runCommand(`mkfs.${fileSystemType}`, ['-q', '-F', '-b', '4096', '-m', '0', '-E', options, image]);
    await syncPath(image);
  },

  async copyImage(from, to, frozenAt) {
    if (frozenAt !== undefined) await runToTheEnd(copyFrozen, [from, to, frozenAt]);
    else if (!(await hasCloned(from, to))) await runCommand('cp', ['--', from, to]);
    await syncPath(to);
  },

  async growImage(image, sizeBytes) {
    const current = await sizeOf(image);
    if (current < sizeBytes) await truncate(image, sizeBytes);
    await syncPath(image);
  },

  async move(from, to) {
    await rename(from, to);
    await syncPath(dirname(from));
    await syncPath(dirname(to));
  },

  async remove(path) {
    // A copier that outlived its driver may still hold a file here.
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  },
};

/** Shares the blocks without starting a program: milliseconds for any size. False where the file system cannot. */
async function hasCloned(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch {
    await rm(to, { force: true });
    return false;
  }
}

async function sizeOf(path: string): Promise<number> {
  await using file = await open(path, 'r');
  return (await file.stat()).size;
}

/** Until this returns, a loss of power could undo what was done to a file, or to the names in a directory. */
async function syncPath(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}
