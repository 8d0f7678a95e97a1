/**
 * Writes every file that is derived from the definitions in packages/api.
 *
 * With --check nothing is written: files that are missing or differ are named, and the exit code is 1.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
// Not through the package: programs that import it would carry the writer of YAML along.
import { crdFiles } from '../packages/api/src/crd/files.ts';
import { policyFiles } from '../packages/api/src/policy/files.ts';
import { roleFiles } from '../packages/api/src/rbac/files.ts';
import { referenceFiles } from '../packages/api/src/reference/files.ts';

/** Each generator is pure: it returns paths from the root of the repository, and contents. */
const generators: readonly (() => ReadonlyMap<string, string>)[] = [crdFiles, policyFiles, roleFiles, referenceFiles];

const root = join(import.meta.dirname, '..');
const checkOnly = process.argv.includes('--check');

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

let stale = 0;
for (const [path, content] of generators.flatMap((generate) => [...generate()])) {
  const target = join(root, path);
  if (current(target) === content) continue;
  stale += 1;
  if (checkOnly) {
    console.error(`${path} is not what the definitions in packages/api say; run npm run generate and commit the result`);
    continue;
  }
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  console.log(`wrote ${path}`);
}
if (checkOnly && stale > 0) process.exitCode = 1;
