import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedError } from '#embedded-error.ts';

/** Free bytes for an ordinary user where a path is, or would be once its directories are made. */
export type FreeBytes = (path: string) => Promise<number>;

export const freeBytes: FreeBytes = async (path) => {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = await statfs(existing);
  return bavail * bsize;
};

/** Refuses before a build begins that would fill the disk halfway through. */
export async function requireSpace(path: string, neededBytes: number, free: FreeBytes): Promise<void> {
  const available = await free(path);
  if (available < neededBytes) throw new EmbeddedError('NoDiskSpace', noSpaceSentence(path, available, neededBytes));
}

export function noSpaceSentence(path: string, availableBytes: number, neededBytes: number): string {
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
  return `Building Kubernetes needs about ${gigabytes(neededBytes)} GB of disk space and ${path} has ${gigabytes(availableBytes)} GB left: free some, or point GOCACHE, GOMODCACHE and TERRAIN_CACHE to a larger disk.`;
}
