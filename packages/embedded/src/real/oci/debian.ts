import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '#csi/command.ts';

/**
 * Unpacks the files of Debian packages below a directory, without installing them: no script of theirs runs, this machine stays as it is.
 * Dependencies are not followed, so that what goes into an image is written down.
 */
export async function unpackPackages(names: readonly string[], directory: string): Promise<void> {
  const download = await mkdtemp(join(tmpdir(), 'terrain-packages-'));
  try {
    // apt's own user must be able to write here, else it complains and goes on as root.
    await runCommand('/bin/sh', ['-c', 'cd "$1" && shift && apt-get -q download "$@"', 'terrain', download, ...names]);
    await mkdir(directory, { recursive: true });
    for (const file of (await readdir(download)).sort()) await runCommand('dpkg-deb', ['-x', join(download, file), directory]);
  } finally {
    await rm(download, { recursive: true, force: true });
  }
}
