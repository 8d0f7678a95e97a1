import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { parts, testFiles } from './parts.ts';

test('every file of tests belongs to exactly one part', () => {
  const owners = new Map<string, string[]>();
  for (const part of parts) for (const file of testFiles(part)) owners.set(file, [...(owners.get(file) ?? []), part.name]);
  const all = globSync('{packages,bench,scripts}/**/*.test.ts', { exclude: ['**/node_modules/**'] });
  assert.deepEqual(
    all.filter((file) => owners.get(file)?.length !== 1).map((file) => `${file}: ${owners.get(file)?.join(', ') ?? 'no part'}`),
    [],
  );
});
