import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultCacheDirectory } from '#binary/cache.ts';
import { runCommand } from '#csi/command.ts';
import { makeCacheDirectory } from '#make-directory.ts';
import { isRunning } from '#process/process-facts.ts';
import { type Progress, runTask, silent } from '#progress.ts';

/** What CDI's workers call: qemu-img, nbdkit and its curl plugin, and the small tools of their scripts. */
const packages = [
  'qemu-utils',
  'nbdkit',
  'bash',
  'coreutils',
  'util-linux',
  'tar',
  'gzip',
  'xz-utils',
  'sed',
  'grep',
  'mawk',
  'ca-certificates',
] as const;

/** Raised when unpacking changes. */
const format = 1;
/** Directories that are links to those below `usr` on every Debian; packages still name the old ones. */
const mergedDirectories = ['bin', 'sbin', 'lib', 'lib64'] as const;
const leftOut = ['doc', 'man', 'locale', 'info', 'lintian'].flatMap((name) => ['--exclude', `./usr/share/${name}`]);

export interface DebianRootOptions {
  readonly cacheDirectory?: string | undefined;
  readonly progress?: Progress | undefined;
}

/** A small Debian in a directory. */
export interface DebianRoot {
  readonly directory: string;
  /** Changes with its content. */
  readonly key: string;
}

/**
 * Unpacks what CDI's workers need, with all it depends on, from this machine's package sources.
 *
 * Guarantees: nothing is installed on this machine and its own package lists stay as they are; the directory is whole or not there.
 */
export async function ensureDebianRoot(options: DebianRootOptions = {}): Promise<DebianRoot> {
  const { cache, key, directory } = placeOf(options);
  if (existsSync(directory)) return { directory, key };
  const task = { name: 'debian-root', title: 'Debian packages for the disk importer', expectedMs: 30_000 };
  return runTask(options.progress ?? silent, task, async () => {
    await makeCacheDirectory(cache);
    await removeAbandoned(cache);
    const workshop = await mkdtemp(join(cache, `.debian-${process.pid}-`));
    try {
      await unpack(await download(workshop), join(workshop, 'root'));
      // Of two at once, the first wins: both hold the same.
      await rename(join(workshop, 'root'), directory).catch((error: unknown) => {
        if (!existsSync(directory)) throw error;
      });
    } finally {
      await rm(workshop, { recursive: true, force: true });
    }
    return { directory, key };
  });
}

/** Whether it was made before. */
export function hasDebianRoot(options: DebianRootOptions = {}): boolean {
  return existsSync(placeOf(options).directory);
}

function placeOf({
  cacheDirectory: cache = defaultCacheDirectory(),
}: DebianRootOptions): DebianRoot & { readonly cache: string } {
  const key = createHash('sha256').update(JSON.stringify({ format, packages, leftOut })).digest('hex').slice(0, 16);
  return { cache, key, directory: join(cache, `debian-${key}`) };
}

/** The packages and everything they depend on, as if nothing were installed. */
async function download(workshop: string): Promise<string> {
  const [state, cache] = [join(workshop, 'state'), join(workshop, 'cache')];
  const archives = join(cache, 'archives');
  await Promise.all([join(state, 'lists', 'partial'), join(archives, 'partial')].map((name) => mkdir(name, { recursive: true })));
  await writeFile(join(state, 'status'), '');
  const settings = {
    'Dir::State': state,
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': cache,
    'APT::Sandbox::User': 'root',
    'Acquire::Retries': '5',
  };
  const apt = (...args: readonly string[]) =>
    runCommand('apt-get', [
      '-q',
      '-y',
      ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
      ...args,
    ]);
  await apt('update');
  await apt('--no-install-recommends', '--download-only', 'install', ...packages);
  return archives;
}

async function unpack(archives: string, root: string): Promise<void> {
  for (const name of mergedDirectories) {
    await mkdir(join(root, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(root, name));
  }
  const script = `dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2" ${leftOut.join(' ')}`;
  for (const name of (await readdir(archives)).filter((file) => file.endsWith('.deb')).sort()) {
    await runCommand('/bin/bash', ['-o', 'pipefail', '-c', script, 'terrain', join(archives, name), root]);
  }
  await gatherCertificates(root);
}

/** What the script of the package ca-certificates would do: all certificates in the one file that programs look for. */
async function gatherCertificates(root: string): Promise<void> {
  const source = join(root, 'usr/share/ca-certificates/mozilla');
  const certificates = await Promise.all((await readdir(source)).sort().map((name) => readFile(join(source, name), 'utf8')));
  await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), certificates.join('\n'));
}

async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const pid = Number(/^\.debian-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isRunning(pid)) await rm(join(cache, name), { recursive: true, force: true });
  }
}
