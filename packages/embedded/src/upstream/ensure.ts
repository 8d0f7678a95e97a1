import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultCacheDirectory } from '#binary/cache.ts';
import type { EnsureOptions } from '#binary/ensure.ts';
import { goEnvironment, runGo } from '#binary/go-command.ts';
import { goDirective, requireGo } from '#binary/go-toolchain.ts';
import { moduleRoot } from '#binary/group.ts';
import { runTask, silent } from '#progress.ts';
import { extractUpstream, type Upstream } from './extract.ts';
import { moduleDirectory, requiredModules } from './module.ts';

/** Raised when extraction changes, so that files extracted by older code are not used. */
const format = 1;
const fileName = 'upstream.json';

/**
 * The definitions and rules taken from other projects: from a directory of ready-made files, from the cache, or downloaded.
 * Needs Go only for the download, since Go verifies every byte against go.sum.
 */
export async function ensureUpstream(options: EnsureOptions = {}): Promise<Upstream> {
  const moduleFiles = join(moduleRoot, 'upstream');
  const [goMod, goSum] = await Promise.all(['go.mod', 'go.sum'].map((name) => readFile(join(moduleFiles, name), 'utf8')));
  const key = createHash('sha256').update(JSON.stringify({ format, goMod, goSum })).digest('hex').slice(0, 16);
  const cached = join(options.cacheDirectory ?? defaultCacheDirectory(options.env), `upstream-${key}`);
  const ready = options.binaries === undefined ? undefined : await readChecked(join(options.binaries, fileName));
  const found = ready ?? (await readChecked(join(cached, fileName)));
  if (found !== undefined) return found;

  const task = {
    name: 'download-upstream',
    title: 'Definitions of CDI, KubeVirt, snapshots, networks and kwok',
    expectedMs: 60_000,
  };
  return runTask(options.progress ?? silent, task, async (report) => {
    const go = await requireGo(goDirective(goMod!), options.env, options.signal);
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
    await writeChecked(cached, upstream);
    return upstream;
  });
}

/** The first line is the hash of the rest: a file that broke off, or was edited, is as good as none. */
async function readChecked(path: string): Promise<Upstream | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  return end !== -1 && text.slice(0, end) === hashOf(body) ? (JSON.parse(body) as Upstream) : undefined;
}

async function writeChecked(directory: string, upstream: Upstream): Promise<void> {
  await mkdir(directory, { recursive: true });
  const body = JSON.stringify(upstream);
  const temporary = join(directory, `${fileName}.${process.pid}`);
  await writeFile(temporary, `${hashOf(body)}\n${body}`);
  await rename(temporary, join(directory, fileName));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
