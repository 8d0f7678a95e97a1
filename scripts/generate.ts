/**
 * Writes every file that is derived from the definitions in packages/api, and removes those of definitions that are gone. What was not generated stays.
 *
 * With --check nothing is written: files that are missing, differ or are left over are named, and the exit code is 1.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type StaleFile, staleFiles, staleSentence } from './source/generated.ts';

const root = join(import.meta.dirname, '..');
const stale = staleFiles(root);

if (process.argv.includes('--check')) {
  for (const file of stale) console.error(staleSentence(file));
  if (stale.length > 0) process.exitCode = 1;
} else for (const file of stale) renew(file);

function renew(file: StaleFile): void {
  const { path, content, isForeign } = file;
  const target = join(root, path);
  if (isForeign) {
    console.error(staleSentence(file));
    process.exitCode = 1;
    return;
  }
  if (content === undefined) {
    rmSync(target);
    console.log(`removed ${path}`);
    return;
  }
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  console.log(`wrote ${path}`);
}
