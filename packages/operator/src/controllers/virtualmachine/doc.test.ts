import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { virtualMachineKind } from '@terrain/api';

const page = readFileSync(new URL('../../../../../docs/controllers/virtualmachine.md', import.meta.url), 'utf8');

test('the page of the controller says what to do for every reason, and names every condition', () => {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .join('\n');
  for (const { name } of virtualMachineKind.reasons)
    assert.match(rows, new RegExp(`\\b${name}\\b`), `no row for the reason ${name}`);
  for (const { name } of virtualMachineKind.conditions)
    assert.ok(page.includes(`\`${name}\``), `nothing about the condition ${name}`);
});
