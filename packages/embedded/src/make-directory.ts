import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedError } from '#embedded-error.ts';

export interface DirectoryOptions {
  /** What a person can do if it cannot be made, as the end of a sentence. */
  readonly advice: string;
  readonly mode?: number;
}

const refusals: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Makes a directory and those above it, and sees that something can be put there; or says why that is impossible. */
export async function makeDirectory(path: string, options: DirectoryOptions): Promise<void> {
  await make(path, options);
  // Tried, not asked for: rights alone do not tell of file systems that take nothing.
  const probe = await mkdtemp(join(path, '.probe-')).catch(async (error: NodeJS.ErrnoException) => {
    // A disk that is full is told where room is needed.
    if (!refusals.has(error.code ?? '')) return undefined;
    const { uid } = await stat(path);
    throw new EmbeddedError(
      'DirectoryImpossible',
      `Nothing can be put into ${path} (${error.code}), which belongs to user ${uid}: let that user run this, make the directory yours (chown -R), or ${options.advice}.`,
      { cause: error },
    );
  });
  if (probe !== undefined) await rmdir(probe);
}

/** Node's own recursive mkdir never ends, at full load, where the system answers ENOENT for a directory whose parent exists, as in /proc. */
async function make(path: string, options: DirectoryOptions): Promise<void> {
  const first = await tryMake(path, options.mode);
  if (first === undefined) return;
  const parent = dirname(path);
  if (first.code !== 'ENOENT' || parent === path) throw impossible(path, parent, first, options.advice);
  await make(parent, options);
  const second = await tryMake(path, options.mode);
  if (second !== undefined) throw impossible(path, parent, second, options.advice);
}

/** Where the cluster of a home keeps something. */
export async function makeHomeDirectory(path: string): Promise<void> {
  await makeDirectory(path, { advice: 'choose another home with --home DIR or $TERRAIN_HOME', mode: 0o700 });
}

/** Where something is kept from one start to the next, for all homes of a user. */
export async function makeCacheDirectory(path: string): Promise<void> {
  await makeDirectory(path, { advice: 'choose another cache with $TERRAIN_CACHE' });
}

async function tryMake(path: string, mode = 0o777): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode });
    return undefined;
  } catch (error) {
    // Asked afterwards and whatever the error, since for a directory that exists systems differ in what they complain about first.
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    return isThere ? undefined : (error as NodeJS.ErrnoException);
  }
}

function impossible(path: string, parent: string, error: NodeJS.ErrnoException, advice: string): EmbeddedError {
  const reason = error.code === 'ENOENT' ? `nothing can be made in ${parent}` : error.message;
  return new EmbeddedError('DirectoryImpossible', `${path} cannot be made a directory: ${reason}; ${advice}.`, { cause: error });
}
