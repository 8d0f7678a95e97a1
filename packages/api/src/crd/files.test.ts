import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crdFiles } from './files.ts';

const root = join(import.meta.dirname, '../../../..');

test('the CRDs checked in are what the definitions say (else: npm run generate)', () => {
  for (const [path, content] of crdFiles()) assert.equal(readFileSync(join(root, path), 'utf8'), content, path);
});

test('no CRD is left over from a kind that is gone', () => {
  const folder = 'packages/api/crds';
  assert.deepEqual(
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}`)
      .sort(),
    [...crdFiles().keys()].sort(),
  );
});
