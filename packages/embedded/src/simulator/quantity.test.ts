import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, formatBinary } from './quantity.ts';

const sizes: Record<string, number | undefined> = {
  '1Gi': 2 ** 30,
  '24Gi': 24 * 2 ** 30,
  '1.5Gi': 1.5 * 2 ** 30,
  '500M': 5e8,
  '1138166334': 1138166334,
  big: undefined,
  '': undefined,
};
for (const [text, want] of Object.entries(sizes)) test(`"${text}" is ${want} bytes`, () => assert.equal(bytesOf(text), want));

test('sizes are written as the API does', () => {
  assert.deepEqual([2 ** 30, 24 * 2 ** 30, 1138166334, 0].map(formatBinary), ['1Gi', '24Gi', '1138166334', '0']);
});
