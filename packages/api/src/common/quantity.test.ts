import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseQuantityBytes } from './quantity.ts';

const quantities: Record<string, { given: string | number; want: bigint | undefined }> = {
  'a binary unit': { given: '24Gi', want: 24n << 30n },
  'a decimal unit': { given: '24G', want: 24_000_000_000n },
  'a number as YAML gives it': { given: 1024, want: 1024n },
  'a fraction of a binary unit': { given: '0.5Ki', want: 512n },
  'a part of a byte counts as a whole one': { given: '1500m', want: 2n },
  'the largest unit': { given: '8Ei', want: 8n << 60n },
  'below zero it is rounded away from zero too': { given: '-1500m', want: -2n },
  words: { given: 'a lot', want: undefined },
  nothing: { given: '', want: undefined },
};
for (const [name, { given, want }] of Object.entries(quantities)) {
  test(`bytes of a quantity: ${name}`, () => assert.equal(parseQuantityBytes(given), want));
}

const suffixes: Record<string, bigint> = {
  '': 1n,
  k: 10n ** 3n,
  M: 10n ** 6n,
  G: 10n ** 9n,
  T: 10n ** 12n,
  P: 10n ** 15n,
  E: 10n ** 18n,
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n,
};

test('a whole number of any unit is that many times the unit', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.constantFrom(...Object.entries(suffixes)),
      (count, [suffix, factor]) => {
        assert.equal(parseQuantityBytes(`${count}${suffix}`), count * factor);
      },
    ),
  );
});

test('thousandths, millionths and billionths round up to the next byte', () => {
  const parts = fc.constantFrom<[string, bigint]>(['m', 10n ** 3n], ['u', 10n ** 6n], ['n', 10n ** 9n]);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), parts, (count, [suffix, per]) => {
      assert.equal(parseQuantityBytes(`${count}${suffix}`), (count + per - 1n) / per);
    }),
  );
});

test('a larger number of the same unit is never fewer bytes', () => {
  const decimal = fc
    .tuple(fc.nat(), fc.nat({ max: 999 }))
    .map(([whole, part]) => ({ text: `${whole}.${String(part).padStart(3, '0')}`, value: whole * 1000 + part }));
  fc.assert(
    fc.property(decimal, decimal, fc.constantFrom(...Object.keys(suffixes)), (one, other, suffix) => {
      const [low, high] = one.value <= other.value ? [one, other] : [other, one];
      assert.ok(parseQuantityBytes(low.text + suffix)! <= parseQuantityBytes(high.text + suffix)!);
    }),
  );
});
