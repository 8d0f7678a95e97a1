import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { workspaceKind } from '@terrain/api';

const page = readFileSync(new URL('../../../../../docs/controllers/workspace.md', import.meta.url), 'utf8');

test('the page of the controller names every condition', () => {
  for (const { name } of workspaceKind.conditions) assert.ok(page.includes(`\`${name}\``), `nothing about the condition ${name}`);
});
