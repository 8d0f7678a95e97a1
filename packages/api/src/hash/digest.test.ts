import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base32Digest, byteDigest, hexDigest } from './digest.ts';

test('digests of lists that read the same when joined differ', () => {
  const lists = [['a-b', 'c'], ['a', 'b-c'], ['a-b-c'], ['a', 'b', 'c'], ['a', 'b', 'c', ''], ['1:a'], ['1', 'a'], []];
  const digests = lists.map((parts) => base32Digest(parts, 16));
  assert.equal(new Set(digests).size, lists.length);
});

test('the three notations show the same bits', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (parts) => {
      const bits = (digits: Iterable<number>, width: number) =>
        Array.from(digits, (digit) => digit.toString(2).padStart(width, '0')).join('');
      const fromHex = bits(
        [...hexDigest(parts, 20)].map((digit) => Number.parseInt(digit, 16)),
        4,
      );
      const fromBase32 = bits(
        [...base32Digest(parts, 16)].map((digit) => 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(digit)),
        5,
      );
      assert.equal(fromHex, fromBase32);
      assert.equal(fromHex, bits(byteDigest(parts, 10), 8));
    }),
  );
});

test('a digest is as long as asked for, to the last character', () => {
  assert.equal(base32Digest(['x'], 51).length, 51);
  assert.equal(hexDigest(['x'], 64).length, 64);
  assert.equal(byteDigest(['x'], 6).length, 6);
});
