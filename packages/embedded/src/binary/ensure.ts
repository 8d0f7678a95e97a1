import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EmbeddedError } from '#embedded-error.ts';
import { makeCacheDirectory } from '#make-directory.ts';
import { FileLock } from '#process/file-lock.ts';
import { isRunning } from '#process/process-facts.ts';
import { type Progress, runTask, silent, type TaskReport } from '#progress.ts';
import { buildGroup } from './build.ts';
import { defaultCacheDirectory, entryName, findDamage, removeEntry, touchAndPrune, writeManifest } from './cache.ts';
import { type FreeBytes, freeBytes, requireSpace } from './disk-space.ts';
import { goDirective, isExecutable, requireGo } from './go-toolchain.ts';
import { type BinaryGroup, type GroupName, groups, moduleRoot, programsOf } from './group.ts';
import { requireSameOrigin } from './origin.ts';

export interface EnsureOptions {
  readonly progress?: Progress | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default: `$TERRAIN_CACHE`, else the user's cache directory. */
  readonly cacheDirectory?: string | undefined;
  /** A directory of ready-made programs; nothing is built and the cache is not looked at. */
  readonly binaries?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly freeBytes?: FreeBytes | undefined;
  readonly retryDelayMs?: ((attempt: number) => number) | undefined;
}

/** Where each program is. */
export class Binaries {
  readonly #paths: ReadonlyMap<string, string>;

  constructor(paths: ReadonlyMap<string, string>) {
    this.#paths = paths;
  }

  path(program: string): string {
    const path = this.#paths.get(program);
    if (path === undefined) throw new TypeError(`${program} belongs to a group of binaries that was not asked for`);
    return path;
  }

  has(program: string): boolean {
    return this.#paths.has(program);
  }
}

/**
 * Finds the programs of the groups in the cache, or builds them.
 *
 * Guarantees: what is returned is complete and was checked; a build that fails or is interrupted leaves no cache entry and no
 * process; of several builders at once one builds and the others wait for it.
 */
export async function ensureBinaries(names: readonly GroupName[], options: EnsureOptions = {}): Promise<Binaries> {
  const paths = new Map<string, string>();
  for (const name of names) {
    const group: BinaryGroup = groups[name];
    const directory =
      options.binaries === undefined ? await ensureGroup(group, options) : await requireReady(group, options.binaries);
    for (const program of programsOf(group)) paths.set(program, join(directory, program));
  }
  return new Binaries(paths);
}

/** Those of the groups that a start would have to build first. Looks only; a damaged entry counts as missing. */
export async function missingGroups(
  names: readonly GroupName[],
  options: Pick<EnsureOptions, 'cacheDirectory' | 'env'> = {},
): Promise<GroupName[]> {
  const root = join(options.cacheDirectory ?? defaultCacheDirectory(options.env), 'binaries');
  const isThere = async (name: GroupName): Promise<boolean> => {
    const directory = join(root, await entryName(groups[name]));
    return existsSync(directory) && (await findDamage(directory, groups[name], 'quick')) === undefined;
  };
  const found = await Promise.all(names.map(isThere));
  return names.filter((_, index) => !found[index]);
}

async function requireReady(group: BinaryGroup, directory: string): Promise<string> {
  const missing = programsOf(group).filter((program) => !isExecutable(join(directory, program)));
  if (missing.length > 0) {
    throw new EmbeddedError(
      'BinaryMissing',
      `${directory} has no program called ${missing.join(', ')} that can be run: run \`terrain build ${group.name} --output ${directory}\` where Go is, or leave out --binaries to have it built.`,
    );
  }
  await requireSameOrigin(directory, group);
  // Programs run in directories of their own, from which a relative path leads elsewhere.
  return resolve(directory);
}

/** The directory of a group's programs, made if need be. */
async function ensureGroup(group: BinaryGroup, options: EnsureOptions): Promise<string> {
  const root = join(options.cacheDirectory ?? defaultCacheDirectory(options.env), 'binaries');
  const entry = await entryName(group);
  const directory = join(root, entry);
  if (existsSync(directory) && (await findDamage(directory, group, 'quick')) === undefined) {
    await touchAndPrune(root, entry, group);
    return directory;
  }
  const task = { name: `build-${group.name}`, title: group.title, expectedMs: group.coldBuildMs };
  return runTask(options.progress ?? silent, task, async (report) => {
    await makeCacheDirectory(root);
    using _lock = await FileLock.acquire(`${directory}.lock`, {
      signal: options.signal,
      onWait: ({ pid }) => report.note(`Process ${pid} is building the same programs; waiting for it.`),
    });
    await removeAbandoned(root);
    const damage = existsSync(directory) ? await findDamage(directory, group, 'quick') : 'absent';
    if (damage === undefined) return directory; // somebody else built it while we waited
    if (damage !== 'absent') {
      report.note(`The cached programs in ${directory} are damaged (${damage}); building them again.`);
      await removeEntry(directory);
    }
    await build(group, root, directory, report, options);
    return directory;
  });
}

async function build(
  group: BinaryGroup,
  root: string,
  directory: string,
  report: TaskReport,
  options: EnsureOptions,
): Promise<void> {
  const minimum = goDirective(await readFile(join(moduleRoot, group.module, 'go.mod'), 'utf8'));
  const go = await requireGo(minimum, options.env, options.signal);
  const free = options.freeBytes ?? freeBytes;
  await requireSpace(go.buildCache, group.diskBytes, free);
  await requireSpace(root, group.diskBytes / 10, free);
  // The process number in the name tells a build under way from one whose process is gone.
  const workshop = await mkdtemp(join(root, `.building-${process.pid}-`));
  try {
    const target = join(workshop, 'bin');
    await mkdir(target);
    await buildGroup(group, target, join(workshop, 'tmp'), {
      go,
      report,
      signal: options.signal,
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.retryDelayMs === undefined ? {} : { retryDelayMs: options.retryDelayMs }),
    });
    await writeManifest(target, group, go.version);
    await rename(target, directory);
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
    throw new EmbeddedError(
      'BuildInterrupted',
      `The build of ${group.title} was interrupted, and nothing of it runs any more. What was compiled so far is kept: the next start goes on from there.`,
      { cause: error },
    );
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Removes what builds left behind whose process was killed. */
async function removeAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = Number(/^\.building-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isRunning(pid)) await rm(join(root, name), { recursive: true, force: true });
  }
}
