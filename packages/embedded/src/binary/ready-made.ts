import { constants } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { together } from '#process/together.ts';
import { ensureUpstream, upstreamKey } from '#upstream/ensure.ts';
import type { Upstream } from '#upstream/extract.ts';
import { writeUpstream } from '#upstream/file.ts';
import { type Binaries, type EnsureOptions, ensureBinaries } from './ensure.ts';
import { type GroupName, groups, programsOf } from './group.ts';
import { writeOrigin } from './origin.ts';

/** What a start takes from Go modules. */
export interface Supplies {
  readonly groups: readonly GroupName[];
  readonly binaries: Binaries;
  /** Only with the group `core`: a cluster cannot start without either. */
  readonly upstream: Upstream | undefined;
}

/** Finds in the cache, or builds and downloads, all that a start with these groups would need Go for. */
export async function ensureSupplies(names: readonly GroupName[], options: EnsureOptions = {}): Promise<Supplies> {
  const [binaries, upstream] = await together<[Binaries, Upstream | undefined]>(options.signal, [
    (signal) => ensureBinaries(names, { ...options, signal }),
    async (signal) => (names.includes('core') ? ensureUpstream({ ...options, signal }) : undefined),
  ]);
  return { groups: names, binaries, upstream };
}

/**
 * Puts supplies into a directory for `--binaries`, which may be used on another machine of the same platform.
 *
 * Guarantees: each file is whole or as it was before, also while programs of that directory run; files of other groups stay.
 */
export async function writeReadyMade(directory: string, supplies: Supplies): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const name of supplies.groups) {
    for (const program of programsOf(groups[name])) {
      const temporary = join(directory, `${program}.${process.pid}`);
      await copyFile(supplies.binaries.path(program), temporary, constants.COPYFILE_FICLONE);
      await rename(temporary, join(directory, program));
    }
    await writeOrigin(directory, groups[name]);
  }
  if (supplies.upstream !== undefined) await writeUpstream(directory, supplies.upstream, await upstreamKey());
}
