import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chooseSize, isInRange, smallestSize } from './size.ts';

const mebibyte = 1024 ** 2;
const most = 1024 ** 4;
const range = (requiredBytes: number, limitBytes = 0) => ({ requiredBytes, limitBytes });

const chosen: Record<string, { given: Parameters<typeof chooseSize>; want: number }> = {
  'nothing said: one gibibyte': { given: [null, { most }], want: 1024 * mebibyte },
  'a size': { given: [range(64 * mebibyte), { most }], want: 64 * mebibyte },
  'an odd size: up to the next block': { given: [range(64 * mebibyte + 1), { most }], want: 64 * mebibyte + 4096 },
  'a tiny size: the smallest there is': { given: [range(1), { most }], want: smallestSize },
  'only a limit: no more than that': { given: [range(0, 100 * mebibyte), { most }], want: 100 * mebibyte },
  'a copy with no size: as large as its source': { given: [null, { most, least: 300 * mebibyte }], want: 300 * mebibyte },
  'a copy that is to be larger': { given: [range(400 * mebibyte), { most, least: 300 * mebibyte }], want: 400 * mebibyte },
};
for (const [name, { given, want }] of Object.entries(chosen)) {
  test(`size of a volume: ${name}`, () => assert.equal(chooseSize(...given), want));
}

const refused: Record<string, { given: Parameters<typeof chooseSize>; want: { code: string; message: RegExp } }> = {
  'a negative size': { given: [range(-1), { most }], want: { code: 'InvalidArgument', message: /negative/ } },
  'a limit below the size': { given: [range(2, 1), { most }], want: { code: 'InvalidArgument', message: /below the 2 bytes/ } },
  'a limit no volume keeps': { given: [range(1, 4096), { most }], want: { code: 'OutOfRange', message: /limit of 4096/ } },
  'smaller than its source': {
    given: [range(100 * mebibyte), { most, least: 300 * mebibyte }],
    want: { code: 'OutOfRange', message: /the data to be held has 314572800/ },
  },
  'larger than the disk': { given: [range(most + 1), { most }], want: { code: 'OutOfRange', message: /never be filled/ } },
};
for (const [name, { given, want }] of Object.entries(refused)) {
  test(`size of a volume, refused: ${name}`, () => assert.throws(() => chooseSize(...given), want));
}

test('whatever is chosen for a range is in that range, so a repeated call finds its volume', () => {
  const bytes = fc.integer({ min: 0, max: 2 ** 40 });
  fc.assert(
    fc.property(bytes, bytes, (required, spare) => {
      const asked = range(required, required + spare + smallestSize + 4096);
      const size = chooseSize(asked, { most: 2 ** 50 });
      assert.ok(isInRange(size, asked) && size % 4096 === 0 && size >= smallestSize);
    }),
  );
});
