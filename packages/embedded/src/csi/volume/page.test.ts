import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageOf } from './page.ts';

const item = (digit: number) => ({ id: `vol-${String(digit).repeat(32)}` });
const all = [item(3), item(1), item(2)];

test('everything on one page when nobody limits it', () => {
  assert.deepEqual(pageOf('volume', all, { maxEntries: 0, startingToken: '' }), {
    items: [item(1), item(2), item(3)],
    nextToken: '',
  });
});

test('pages follow each other, also when what the token names is deleted meanwhile', () => {
  const first = pageOf('volume', all, { maxEntries: 2, startingToken: '' });
  assert.deepEqual(first.items, [item(1), item(2)]);
  const second = pageOf('volume', [item(3), item(1), item(4)], { maxEntries: 2, startingToken: first.nextToken });
  assert.deepEqual(second, { items: [item(3), item(4)], nextToken: '' });
});

test('a page that ends exactly at the end is the last', () => {
  assert.equal(pageOf('volume', all, { maxEntries: 3, startingToken: '' }).nextToken, '');
});

test('tokens that nobody gave, and negative pages, are refused', () => {
  assert.throws(() => pageOf('volume', all, { maxEntries: 0, startingToken: 'invalid' }), { code: 'Aborted' });
  assert.throws(() => pageOf('volume', all, { maxEntries: -1, startingToken: '' }), { code: 'InvalidArgument' });
});
