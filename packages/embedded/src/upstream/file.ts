import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Upstream } from './extract.ts';

/** The same name in the cache and in a directory of ready-made programs. */
export const upstreamFile = 'upstream.json';

/**
 * The first line is the hash of the rest: a file that broke off, or was edited, is as good as none. The second is the key of the versions it was made
 * for, since a directory of ready-made programs outlives the checkout that filled it.
 */
export async function readUpstream(directory: string, key: string): Promise<Upstream | 'absent' | 'damaged' | 'other'> {
  const path = join(directory, upstreamFile);
  if (!existsSync(path)) return 'absent';
  const text = await readFile(path, 'utf8').catch(() => '');
  const end = text.indexOf('\n');
  const rest = text.slice(end + 1);
  if (end === -1 || text.slice(0, end) !== hashOf(rest)) return 'damaged';
  return rest.startsWith(`${key}\n`) ? (JSON.parse(rest.slice(key.length)) as Upstream) : 'other';
}

/** Into a directory that exists. */
export async function writeUpstream(directory: string, upstream: Upstream, key: string): Promise<void> {
  const rest = `${key}\n${JSON.stringify(upstream)}`;
  const temporary = join(directory, `${upstreamFile}.${process.pid}`);
  await writeFile(temporary, `${hashOf(rest)}\n${rest}`);
  await rename(temporary, join(directory, upstreamFile));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
