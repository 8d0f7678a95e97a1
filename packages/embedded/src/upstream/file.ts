import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Upstream } from './extract.ts';

/** The same name in the cache and in a directory of ready-made programs. */
export const upstreamFile = 'upstream.json';

/** The first line is the hash of the rest: a file that broke off, or was edited, is as good as none. */
export async function readUpstream(directory: string): Promise<Upstream | 'absent' | 'damaged'> {
  const path = join(directory, upstreamFile);
  if (!existsSync(path)) return 'absent';
  const text = await readFile(path, 'utf8').catch(() => '');
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  return end !== -1 && text.slice(0, end) === hashOf(body) ? (JSON.parse(body) as Upstream) : 'damaged';
}

/** Into a directory that exists. */
export async function writeUpstream(directory: string, upstream: Upstream): Promise<void> {
  const body = JSON.stringify(upstream);
  const temporary = join(directory, `${upstreamFile}.${process.pid}`);
  await writeFile(temporary, `${hashOf(body)}\n${body}`);
  await rename(temporary, join(directory, upstreamFile));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
