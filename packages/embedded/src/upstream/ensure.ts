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

/** Raised when extraction changes, so that files extracted by older code are not used. */
const format = 1;

/**
 * The definitions and rules taken from other projects: from a directory of ready-made files, from the cache, or downloaded.
 * Needs Go only for the download, since Go verifies every byte against go.sum.
 */
export async function ensureUpstream(options: EnsureOptions = {}): Promise<Upstream> {
  const moduleFiles = join(moduleRoot, 'upstream');
  const [goMod, goSum] = await Promise.all(['go.mod', 'go.sum'].map((name) => readFile(join(moduleFiles, name), 'utf8')));
  const key = createHash('sha256').update(JSON.stringify({ format, goMod, goSum })).digest('hex').slice(0, 16);
  const cached = join(options.cacheDirectory ?? defaultCacheDirectory(options.env), `upstream-${key}`);
  const ready = options.binaries === undefined ? undefined : await readUpstream(options.binaries);
  if (typeof ready === 'object') return ready;
  const found = await readUpstream(cached);
  if (typeof found === 'object') return found;

  const task = {
    name: 'download-upstream',
    title: 'Definitions of CDI, KubeVirt, snapshots, networks and kwok',
    expectedMs: 60_000,
  };
  return runTask(options.progress ?? silent, task, async (report) => {
    const go = await requireGoUnlessReadyMade(goDirective(goMod!), ready, options);
    await makeCacheDirectory(cached);
    const modules = requiredModules(goMod!);
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
    await writeUpstream(cached, upstream);
    return upstream;
  });
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
      `${problem} (definitions of CDI, KubeVirt, snapshots, networks and kwok), and there is no Go ${minimum} or newer here to download them with: run \`terrain build --output DIR\` where there is one, and put what is in DIR into ${options.binaries}.`,
    );
  }
}
