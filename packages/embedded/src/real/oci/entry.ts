import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** One thing in a layer. Everything belongs to root unless said otherwise; paths have no leading slash. */
export type Entry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode?: number; readonly owner?: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'text'; readonly path: string; readonly text: string; readonly mode?: number; readonly owner?: number }
  /** A file of this machine. */
  | { readonly kind: 'file'; readonly path: string; readonly source: string; readonly mode?: number; readonly owner?: number };

/**
 * Everything below a directory, under `prefix`, sorted by name. Permissions are kept; devices and sockets are left out, hard links become
 * files of their own.
 */
export async function* directoryEntries(directory: string, prefix = ''): AsyncGenerator<Entry> {
  for (const name of (await readdir(directory)).sort()) {
    const source = join(directory, name);
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const found = await lstat(source);
    const mode = found.mode & 0o7777;
    if (found.isSymbolicLink()) yield { kind: 'link', path, target: await readlink(source) };
    else if (found.isFile()) yield { kind: 'file', path, source, mode };
    else if (found.isDirectory()) {
      yield { kind: 'directory', path, mode };
      yield* directoryEntries(source, path);
    }
  }
}
