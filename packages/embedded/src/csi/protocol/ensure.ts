import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defaultCacheDirectory } from '#binary/cache.ts';
import type { EnsureOptions } from '#binary/ensure.ts';
import { goEnvironment, runGo } from '#binary/go-command.ts';
import { goDirective, requireGo } from '#binary/go-toolchain.ts';
import { moduleRoot } from '#binary/group.ts';
import { makeCacheDirectory } from '#make-directory.ts';
import { runTask, silent } from '#progress.ts';
import { moduleDirectory, requiredModules } from '#upstream/module.ts';

/** The files that describe the protocols, by the name they have here, and where their Go modules keep them. */
const files = {
  'csi.proto': { module: 'github.com/container-storage-interface/spec', path: 'csi.proto' },
  'pluginregistration.proto': { module: 'k8s.io/kubelet', path: 'pkg/apis/pluginregistration/v1/api.proto' },
} as const;

export type ProtocolFile = keyof typeof files;

const names = Object.keys(files) as readonly ProtocolFile[];
const digestFile = 'digest';

/** The directory with the descriptions of CSI and of kubelet's registration: from ready-made files, from the cache, or downloaded and verified by Go. */
export async function ensureProtocol(options: EnsureOptions = {}): Promise<string> {
  if (options.binaries !== undefined && (await isWhole(options.binaries))) return options.binaries;
  const moduleFiles = join(moduleRoot, 'csi');
  const [goMod, goSum] = await Promise.all(['go.mod', 'go.sum'].map((name) => readFile(join(moduleFiles, name), 'utf8')));
  const key = createHash('sha256').update(JSON.stringify({ files, goMod, goSum })).digest('hex').slice(0, 16);
  const cached = join(options.cacheDirectory ?? defaultCacheDirectory(options.env), `csi-${key}`);
  if (await isWhole(cached)) return cached;

  const task = { name: 'download-csi', title: 'Descriptions of the storage interface', expectedMs: 10_000 };
  return runTask(options.progress ?? silent, task, async (report) => {
    const go = await requireGo(goDirective(goMod!), options.env, options.signal);
    await runGo(['mod', 'download'], {
      program: go.program,
      directory: moduleFiles,
      env: goEnvironment(options.env ?? process.env),
      signal: options.signal,
      onRetry: report.note,
      ...(options.retryDelayMs === undefined ? {} : { retryDelayMs: options.retryDelayMs }),
    });
    const modules = requiredModules(goMod!);
    const sourceOf = (name: ProtocolFile) => {
      const module = modules.find(({ path }) => path === files[name].module)!;
      return join(moduleDirectory(go.moduleCache, module), files[name].path);
    };
    await fill(cached, sourceOf);
    return cached;
  });
}

async function fill(directory: string, sourceOf: (name: ProtocolFile) => string): Promise<void> {
  await makeCacheDirectory(dirname(directory));
  const workshop = await mkdtemp(`${directory}.`);
  for (const name of names) await copyFile(sourceOf(name), join(workshop, name));
  await writeFile(join(workshop, digestFile), await digestOf(workshop));
  await rm(directory, { recursive: true, force: true });
  await rename(workshop, directory).catch(async (error: unknown) => {
    await rm(workshop, { recursive: true, force: true });
    // Somebody else was faster, with the same files.
    if (!(await isWhole(directory))) throw error;
  });
}

async function isWhole(directory: string): Promise<boolean> {
  const known = await readFile(join(directory, digestFile), 'utf8').catch(() => undefined);
  return known !== undefined && known === (await digestOf(directory).catch(() => ''));
}

async function digestOf(directory: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of names) hash.update(await readFile(join(directory, name)));
  return hash.digest('hex');
}
