import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { staleFiles, staleSentence } from './generated.ts';

const root = join(import.meta.dirname, '../..');

test('every generated file is what the definitions say', () => {
  assert.deepEqual(staleFiles(root).map(staleSentence), []);
});

/** A repository with nothing but the generated files. */
function copyOfGenerated(t: TestContext): string {
  const copy = mkdtempSync(join(tmpdir(), 'terrain-generated-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  for (const folder of ['packages/api/crds', 'packages/api/policies', 'packages/api/roles', 'docs/reference'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  return copy;
}

test('a file that was edited, one that is missing and one that is left over are found', (t) => {
  const copy = copyOfGenerated(t);
  appendFileSync(join(copy, 'packages/api/policies/terrain-ledger-limit.yaml'), '# by hand\n');
  rmSync(join(copy, 'packages/api/roles/terrain-viewer.yaml'));
  cpSync(join(copy, 'docs/reference/workspace.md'), join(copy, 'docs/reference/gone.md'));
  assert.deepEqual(staleFiles(copy).map(staleSentence), [
    'packages/api/policies/terrain-ledger-limit.yaml is not what the definitions in packages/api say: run npm run generate and commit the result.',
    'packages/api/roles/terrain-viewer.yaml is not what the definitions in packages/api say: run npm run generate and commit the result.',
    'docs/reference/gone.md belongs to no definition in packages/api: run npm run generate and commit the result.',
  ]);
});

test('what nobody generated is never removed: a stray manifest is named, and the rest is none of our business', (t) => {
  const copy = copyOfGenerated(t);
  for (const name of ['.notes.md', 'notes.txt', 'workspace.md~']) writeFileSync(join(copy, 'docs/reference', name), 'mine');
  mkdirSync(join(copy, 'packages/api/crds/drafts.yaml'));
  writeFileSync(join(copy, 'packages/api/roles/mine.yaml'), 'kind: ClusterRole\n');
  assert.deepEqual(staleFiles(copy), [{ path: 'packages/api/roles/mine.yaml', content: undefined, isForeign: true }]);
  assert.deepEqual(staleFiles(copy).map(staleSentence), [
    'packages/api/roles/mine.yaml is in a folder of generated files and was not generated: move it elsewhere.',
  ]);
});
