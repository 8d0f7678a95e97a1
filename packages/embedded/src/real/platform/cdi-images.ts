import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultCacheDirectory } from '#binary/cache.ts';
import type { Binaries } from '#binary/ensure.ts';
import { makeCacheDirectory } from '#make-directory.ts';
import { type Progress, runTask, silent } from '#progress.ts';
import { directoryEntries, type Entry } from '../oci/entry.ts';
import { writeImage } from '../oci/image.ts';
import { ensureDebianRoot } from './debian-root.ts';

/** The version that go.mod pins; a test holds it to that. */
export const cdiVersion = '1.65.0';

const parts = ['controller', 'apiserver', 'importer', 'cloner', 'uploadserver'] as const;
export type CdiPart = (typeof parts)[number];

/** Those that call qemu-img and other tools; the rest is a program and nothing else. */
const onDebian: readonly CdiPart[] = ['importer', 'cloner', 'uploadserver'];

/** An image as a file, to be loaded into the node's container runtime. */
export interface ImageArchive {
  readonly name: string;
  readonly file: string;
}

export interface CdiImageOptions {
  /** With the programs of the group `cdi`. */
  readonly binaries: Binaries;
  readonly cacheDirectory?: string | undefined;
  readonly progress?: Progress | undefined;
}

export function cdiImageName(part: CdiPart): string {
  return `localhost/terrain/cdi-${part}:v${cdiVersion}`;
}

/** Finds the images of CDI in the cache, or makes them. */
export async function ensureCdiImages(options: CdiImageOptions): Promise<readonly ImageArchive[]> {
  const cache = options.cacheDirectory ?? defaultCacheDirectory();
  const root = await ensureDebianRoot(options);
  const programs = parts.map((part) => statSync(options.binaries.path(`cdi-${part}`)));
  const identity = { format: 1, root: root.key, programs: programs.map(({ size, mtimeMs }) => [size, mtimeMs]) };
  const name = `cdi-images-${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16)}`;
  const directory = join(cache, name);
  const archives = parts.map((part) => ({ part, name: cdiImageName(part), file: join(directory, `${part}.tar`) }));
  if (archives.every(({ file }) => existsSync(file))) return archives;

  const task = { name: 'cdi-images', title: `Images of CDI ${cdiVersion}`, expectedMs: 30_000 };
  await runTask(options.progress ?? silent, task, async (report) => {
    await removeOthers(cache, name);
    await mkdir(directory, { recursive: true });
    for (const [done, { part, name: image, file }] of archives.entries()) {
      report.advance(done, archives.length, 'images');
      const debian = onDebian.includes(part) ? [directoryEntries(root.directory)] : [];
      const layers = [...debian, programEntries(part, options.binaries)];
      await writeImage(file, { name: image, layers, config: { entrypoint: entrypointOf(part), user: '1001' } });
    }
  });
  return archives;
}

function programEntries(part: CdiPart, binaries: Binaries): Entry[] {
  const program: Entry = {
    kind: 'file',
    path: `usr/bin/cdi-${part}`,
    source: binaries.path(`cdi-${part}`),
    mode: 0o755,
  };
  if (part === 'cloner') return [program, { kind: 'text', path: 'usr/bin/cloner_startup.sh', text: clonerScript, mode: 0o755 }];
  // The controller marks in /tmp that it has started.
  return onDebian.includes(part) ? [program] : [{ kind: 'directory', path: 'tmp', mode: 0o1777 }, program];
}

function entrypointOf(part: CdiPart): readonly string[] {
  return part === 'cloner' ? ['/usr/bin/cloner_startup.sh'] : [`/usr/bin/cdi-${part}`, '-alsologtostderr'];
}

/** How a copy through the network begins: how much there is to send is told to the program that sends it. */
const clonerScript = `#!/bin/bash
set -euo pipefail
: "\${VOLUME_MODE:?}" "\${MOUNT_POINT:?}"
if [ "$VOLUME_MODE" = block ]; then
  bytes=$(blockdev --getsize64 "$MOUNT_POINT")
  exec /usr/bin/cdi-cloner -v=3 -alsologtostderr -content-type blockdevice-clone -upload-bytes "$bytes" -mount "$MOUNT_POINT"
fi
cd "$MOUNT_POINT"
if [ "\${PREALLOCATION:-}" = true ]; then bytes=$(du -sb . | cut -f1); else bytes=$(du -s --block-size=1 . | cut -f1); fi
exec /usr/bin/cdi-cloner -v=3 -alsologtostderr -content-type filesystem-clone -upload-bytes "$bytes" -mount "$MOUNT_POINT"
`;

/** Images of programs that were built before: a few hundred megabytes that nobody asks for any more. */
async function removeOthers(cache: string, name: string): Promise<void> {
  await makeCacheDirectory(cache);
  for (const other of await readdir(cache)) {
    if (other.startsWith('cdi-images-') && other !== name) await rm(join(cache, other), { recursive: true, force: true });
  }
}
