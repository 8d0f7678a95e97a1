/** Pages that people write and that must not fall behind what they tell of. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataSyncKind, virtualMachineKind, vmDiskImageKind } from '@terrain/api';
import { parts } from '../testing/parts.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The reasons of a page's table of reasons, which says what to do. Other tables may name some too, and say something else. */
function tabledReasons(page: string): string[] {
  const [, table = ''] = page.split('\n| reason | what to do |\n|---|---|\n');
  const [rows = ''] = table.split('\n\n');
  return rows.split('\n').flatMap((row) => row.split('|')[1]!.trim().split(', '));
}

for (const { kind, reasons, conditions } of [vmDiskImageKind, dataSyncKind, virtualMachineKind]) {
  const page = read(`docs/controllers/${kind.toLowerCase()}.md`);
  test(`the page of ${kind} says what to do for every reason, and names every condition`, () => {
    assert.deepEqual(tabledReasons(page).sort(), reasons.map(({ name }) => name).sort());
    const missing = conditions.filter(({ name }) => !new RegExp(`\`${name}\`|^\\| ${name} \\|`, 'm').test(page));
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    );
  });
}

test('the guide to pipelines shows the manifest that the example has', () => {
  const [, shown = ''] = read('docs/guides/preload-from-a-pipeline.md').split('```yaml\n');
  const manifest = read('examples/pipeline/images.yaml').replace(/^(#.*\n)+/, '');
  assert.equal(shown.slice(0, shown.indexOf('```')), manifest);
});

test('the page for contributors names the parts that do not always run', () => {
  const [, sentence = ''] = /Two run at a time\. (.+?) run without being named only/.exec(read('CONTRIBUTING.md')) ?? [];
  const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  assert.deepEqual(
    named,
    parts.filter(({ isOnlyWhenBuilt }) => isOnlyWhenBuilt).map(({ name }) => name),
  );
});
