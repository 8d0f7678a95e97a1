import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { operatorFlags } from './operator.ts';

test('the operator beside an embedded cluster runs with the flags of `npm run operator`', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
  assert.equal(scripts.operator, `MALLOC_ARENA_MAX=1 node ${operatorFlags.join(' ')} packages/operator/src/main.mjs`);
});
