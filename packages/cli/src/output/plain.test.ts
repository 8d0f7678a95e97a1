import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from './plain.ts';

test('line breaks, escapes and marks that turn the direction of writing do not reach the terminal', () => {
  assert.equal(plain('a\nb\x1b[31m red\u202e\r\n'), 'a b [31m red');
});
