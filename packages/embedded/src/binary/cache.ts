import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isExecutable } from './go-toolchain.ts';
import { type BinaryGroup, moduleRoot } from './group.ts';

/** What is known of each program in a cache entry, written beside them when they were built. */
export interface Manifest {
  readonly group: string;
  readonly goVersion: string;
  readonly files: readonly ManifestFile[];
}

export interface ManifestFile {
  readonly name: string;
  readonly size: number;
  /** Hash of the first and last 64 KiB: cheap enough for every start, and finds a copy that broke off or was zeroed. */
  readonly edges: string;
  readonly sha256: string;
}

const manifestName = 'manifest.json';
const edgeBytes = 64 * 1024;
const unusedDays = 30;

/** `$TERRAIN_CACHE`, else the user's cache directory. */
export function defaultCacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  if (env.TERRAIN_CACHE) return env.TERRAIN_CACHE;
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'terrain');
}

/** What identifies a build: its sources, its flags and the platform. The Go that compiles them does not count. */
export function cacheKey(
  group: BinaryGroup,
  sources: readonly string[],
  platform = `${process.platform}/${process.arch}`,
): string {
  const { programs, tags, variables } = group;
  return createHash('sha256')
    .update(JSON.stringify({ format: 1, programs, tags, variables, sources, platform }))
    .digest('hex')
    .slice(0, 16);
}

/** The name of a group's entry for the sources that are checked in: the pins, and the few programs of our own beside them. */
export async function entryName(group: BinaryGroup, root = moduleRoot): Promise<string> {
  const directory = join(root, group.module);
  const ours = (await readdir(directory, { recursive: true }))
    .filter((name) => name.endsWith('.go') || /.\/go\.mod$/.test(name))
    .sort();
  const sources = await Promise.all(['go.mod', 'go.sum', ...ours].map((name) => readFile(join(directory, name), 'utf8')));
  return `${group.name}-${cacheKey(group, sources)}`;
}

export async function writeManifest(directory: string, group: BinaryGroup, goVersion: string): Promise<void> {
  const files: ManifestFile[] = [];
  for (const name of Object.values(group.programs)) {
    const path = join(directory, name);
    const { size } = await stat(path);
    files.push({ name, size, edges: await edgesOf(path, size), sha256: await sha256Of(path) });
  }
  const manifest: Manifest = { group: group.name, goVersion, files };
  await writeFile(join(directory, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Undefined when the entry is whole; otherwise what is wrong with it, as the end of a sentence. */
export async function findDamage(directory: string, group: BinaryGroup, depth: 'quick' | 'full'): Promise<string | undefined> {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(join(directory, manifestName), 'utf8')) as Manifest;
  } catch {
    return `${manifestName} is missing or unreadable`;
  }
  for (const name of Object.values(group.programs)) {
    const path = join(directory, name);
    const known = manifest.files?.find((file) => file.name === name);
    if (known === undefined) return `${manifestName} does not mention ${name}`;
    const size = await stat(path).then(
      ({ size }) => size,
      () => undefined,
    );
    if (size === undefined) return `${name} is missing`;
    if (size !== known.size) return `${name} has ${size} bytes instead of ${known.size}`;
    if (!isExecutable(path)) return `${name} is not executable`;
    const intact = depth === 'quick' ? (await edgesOf(path, size)) === known.edges : (await sha256Of(path)) === known.sha256;
    if (!intact) return `${name} was changed after it was built`;
  }
  return undefined;
}

/** Marks an entry as used and removes entries of the same group that nobody has used for a month. */
export async function touchAndPrune(root: string, entry: string, group: BinaryGroup, now = new Date()): Promise<void> {
  await utimes(join(root, entry), now, now);
  for (const name of await readdir(root)) {
    if (name === entry || !new RegExp(`^${group.name}-[0-9a-f]{16}$`).test(name)) continue;
    const { mtimeMs } = await stat(join(root, name));
    if (now.getTime() - mtimeMs > unusedDays * 24 * 3_600_000) await removeEntry(join(root, name));
  }
}

/** Takes an entry out of the way in one step, so that nobody ever finds half of it. */
export async function removeEntry(directory: string): Promise<void> {
  const aside = `${directory}.removed-${process.pid}`;
  await rename(directory, aside);
  await rm(aside, { recursive: true, force: true });
}

async function edgesOf(path: string, size: number): Promise<string> {
  const file = await open(path);
  try {
    const hash = createHash('sha256');
    for (const position of [0, Math.max(0, size - edgeBytes)]) {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(edgeBytes), position });
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
