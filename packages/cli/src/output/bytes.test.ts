import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, humanBytes } from './bytes.ts';

test('bytes read as people say them', () => {
  const shown = [0, 512, 1024, 1536, 1_048_140, 10.6 * 2 ** 30, 1.44 * 2 ** 40, 2 ** 61].map(humanBytes);
  assert.deepEqual(shown, ['0 bytes', '512 bytes', '1 KiB', '1.5 KiB', '1.0 MiB', '11 GiB', '1.4 TiB', '2048 PiB']);
});

test('a quantity nobody can read is no bytes', () => {
  assert.deepEqual([bytesOf('1Gi'), bytesOf(7), bytesOf(undefined), bytesOf('lots')], [2 ** 30, 7, 0, 0]);
});
