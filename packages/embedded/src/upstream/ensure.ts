import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultCacheDirectory } from '#binary/cache.ts';
import type { EnsureOptions } from '#binary/ensure.ts';
import { goEnvironment, runGo } from '#binary/go-command.ts';
import { type GoToolchain, goDirective, requireGo } from '#binary/go-toolchain.ts';
import { moduleRoot } from '#binary/group.ts';
import { EmbeddedError, isEmbeddedError } from '#embedded-error.ts';
import { makeCacheDirectory } from '#make-directory.ts';
import { runTask, silent } from '#progress.ts';
import { extractUpstream, type Upstream } from './extract.ts';
import { readUpstream, upstreamFile, writeUpstream } from './file.ts';
import { moduleDirectory, requiredModules } from './module.ts';

/** Raised when extraction or the form of the file changes, so that files of older code are not used. */
const format = 2;

const moduleFiles = join(moduleRoot, 'upstream');
const content = 'definitions of CDI, KubeVirt, snapshots, networks and kwok';

/** What identifies the definitions that this checkout needs. */
export async function upstreamKey(): Promise<string> {
  const [goMod, goSum] = await Promise.all(['go.mod', 'go.sum'].map((name) => readFile(join(moduleFiles, name), 'utf8')));
  return createHash('sha256').update(JSON.stringify({ format, goMod, goSum })).digest('hex').slice(0, 16);
}

/**
 * The definitions and rules taken from other projects: from a directory of ready-made files, from the cache, or downloaded.
 * Needs Go only for the download, since Go verifies every byte against go.sum.
 */
export async function ensureUpstream(options: EnsureOptions = {}): Promise<Upstream> {
  const key = await upstreamKey();
  const cached = join(options.cacheDirectory ?? defaultCacheDirectory(options.env), `upstream-${key}`);
  const ready = options.binaries === undefined ? undefined : await readUpstream(options.binaries, key);
  if (ready === 'other') throw outdated(options.binaries!);
  if (typeof ready === 'object') return ready;
  const found = await readUpstream(cached, key);
  if (typeof found === 'object') return found;

  const task = {
    name: 'download-upstream',
    title: 'Definitions of CDI, KubeVirt, snapshots, networks and kwok',
    expectedMs: 60_000,
  };
  return runTask(options.progress ?? silent, task, async (report) => {
    const goMod = await readFile(join(moduleFiles, 'go.mod'), 'utf8');
    const go = await requireGoUnlessReadyMade(goDirective(goMod), ready, options);
    await makeCacheDirectory(cached);
    const modules = requiredModules(goMod);
    await runGo(['mod', 'download'], {
      program: go.program,
      directory: moduleFiles,
      env: goEnvironment(options.env ?? process.env),
      signal: options.signal,
      onRetry: report.note,
      ...(options.retryDelayMs === undefined ? {} : { retryDelayMs: options.retryDelayMs }),
    });
    const directories = new Map(modules.map((module) => [module.path, moduleDirectory(go.moduleCache, module)]));
    const upstream = await extractUpstream((path) => directories.get(path)!);
    await writeUpstream(cached, upstream, key);
    return upstream;
  });
}

/** Not replaced by others: the programs beside it would be of other versions too. */
function outdated(directory: string): EmbeddedError {
  return new EmbeddedError(
    'BinaryMissing',
    `${join(directory, upstreamFile)} (${content}) was made for other versions than this checkout uses: run \`terrain build --output ${directory}\` again where Go is, or leave out --binaries.`,
  );
}

/** Who gave ready-made files did so to need no Go, and is told which file is missing instead. */
async function requireGoUnlessReadyMade(
  minimum: string,
  state: 'absent' | 'damaged' | undefined,
  options: EnsureOptions,
): Promise<GoToolchain> {
  try {
    return await requireGo(minimum, options.env, options.signal);
  } catch (error) {
    const isGoToBlame = isEmbeddedError(error, 'GoMissing') || isEmbeddedError(error, 'GoTooOld');
    if (options.binaries === undefined || !isGoToBlame) throw error;
    const problem =
      state === 'damaged' ? `${join(options.binaries, upstreamFile)} is damaged` : `${options.binaries} has no ${upstreamFile}`;
    throw new EmbeddedError(
      'BinaryMissing',
      `${problem} (${content}), and there is no Go ${minimum} or newer here to download them with: run \`terrain build --output DIR\` where there is one, and put what is in DIR into ${options.binaries}.`,
    );
  }
}
