import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedError } from '#embedded-error.ts';
import { entryName } from './cache.ts';
import type { BinaryGroup } from './group.ts';

/** Says beside ready-made programs what they were built from: a file per group, so that directories can be copied together. */
const originFile = (group: BinaryGroup): string => `${group.name}.built-from`;

export async function writeOrigin(directory: string, group: BinaryGroup): Promise<void> {
  const path = join(directory, originFile(group));
  await writeFile(`${path}.${process.pid}`, `${await entryName(group)}\n`);
  await rename(`${path}.${process.pid}`, path);
}

/** Refuses programs that were built from other sources than this checkout has. Those that somebody put there by hand say nothing, and are taken. */
export async function requireSameOrigin(directory: string, group: BinaryGroup): Promise<void> {
  const path = join(directory, originFile(group));
  const origin = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (origin === undefined || origin.trim() === (await entryName(group))) return;
  throw new EmbeddedError(
    'BinaryMissing',
    `The programs of ${group.name} in ${directory} were built for other versions than this checkout uses, or for another platform: run \`terrain build ${group.name} --output ${directory}\` again where Go is, or leave out --binaries to have them built.`,
  );
}
