import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifierOf, isIdentifier } from './identifier.ts';

test('the same name always has the same id, another name or kind another one', () => {
  const id = identifierOf('volume', 'pvc-1');
  assert.equal(identifierOf('volume', 'pvc-1'), id);
  assert.notEqual(identifierOf('volume', 'pvc-2'), id);
  assert.ok(isIdentifier('volume', id) && !isIdentifier('snapshot', id));
});

test('any name that CSI allows gives an id that is safe in a path', () => {
  for (const name of ['a/../b', 'ä'.repeat(64), ' ', 'x'.repeat(128)])
    assert.match(identifierOf('snapshot', name), /^snap-[0-9a-f]{32}$/);
});

test('names that are missing or too long are refused', () => {
  assert.throws(() => identifierOf('volume', ''), { code: 'InvalidArgument', message: /needs a name/ });
  assert.throws(() => identifierOf('volume', 'ä'.repeat(65)), { code: 'InvalidArgument', message: /130 bytes/ });
});

test('ids that could leave the directory of volumes are not ids', () => {
  for (const id of ['', '..', 'vol-../../etc', `vol-${'0'.repeat(32)}/..`, `vol-${'0'.repeat(32)}\n`])
    assert.ok(!isIdentifier('volume', id), id);
});
