import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { staleFiles, staleSentence } from './generated.ts';

const root = join(import.meta.dirname, '../..');

test('every generated file is what the definitions say', () => {
  assert.deepEqual(staleFiles(root).map(staleSentence), []);
});

test('a file that was edited, one that is missing and one that is left over are found', (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'terrain-generated-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  for (const folder of ['packages/api/crds', 'packages/api/policies', 'packages/api/roles', 'docs/reference'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  appendFileSync(join(copy, 'packages/api/policies/terrain-ledger-limit.yaml'), '# by hand\n');
  rmSync(join(copy, 'packages/api/roles/terrain-viewer.yaml'));
  writeFileSync(join(copy, 'docs/reference/gone.md'), '# Gone\n');
  assert.deepEqual(staleFiles(copy).map(staleSentence), [
    'packages/api/policies/terrain-ledger-limit.yaml is not what the definitions in packages/api say: run npm run generate and commit the result.',
    'packages/api/roles/terrain-viewer.yaml is not what the definitions in packages/api say: run npm run generate and commit the result.',
    'docs/reference/gone.md belongs to no definition in packages/api: run npm run generate and commit the result.',
  ]);
});
