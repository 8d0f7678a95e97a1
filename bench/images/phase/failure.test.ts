import assert from 'node:assert/strict';
import { test } from 'node:test';
import { downloadsOf } from './failure.ts';

test('downloads are those of the address that was meant, and one that nobody asked for is an error', () => {
  const other = { url: 'https://images.example.com/other.qcow2', downloads: 7 };
  const missing = { url: 'https://images.example.com/missing-000000.qcow2', downloads: 1 };
  assert.equal(downloadsOf([other, missing], 'missing'), 1);
  assert.throws(() => downloadsOf([other], 'missing'), /tells of 0 addresses with "missing", expected one/);
  assert.throws(() => downloadsOf([missing, missing], 'missing'), /tells of 2 addresses/);
});
