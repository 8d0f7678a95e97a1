import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalQuantity, quantityInNanos } from './quantity.ts';

const nano = 1n;
const unit = 1_000_000_000n * nano;

const quantities: Record<string, { given: string | number; want: bigint | undefined }> = {
  'a whole number': { given: '2', want: 2n * unit },
  'a number as YAML gives it': { given: 2, want: 2n * unit },
  thousandths: { given: '500m', want: unit / 2n },
  'a fraction': { given: '0.5', want: unit / 2n },
  'a fraction without a leading digit': { given: '.5', want: unit / 2n },
  'a binary unit': { given: '24Gi', want: 24n * 2n ** 30n * unit },
  'a fraction of a binary unit': { given: '1.5Gi', want: 3n * 2n ** 29n * unit },
  'a decimal unit': { given: '24G', want: 24n * 10n ** 9n * unit },
  'the unit E, not an exponent': { given: '1E', want: 10n ** 18n * unit },
  'an exponent': { given: '1e3', want: 1000n * unit },
  'a negative exponent': { given: '5E-1', want: unit / 2n },
  'a sign': { given: '-1Ki', want: -1024n * unit },
  'less than a billionth, rounded up': { given: '0.1n', want: nano },
  'less than nothing, rounded away from zero': { given: '-0.1n', want: -nano },
  nothing: { given: '', want: undefined },
  'a lone dot': { given: '.', want: undefined },
  'a lone unit': { given: 'Gi', want: undefined },
  'an unknown unit': { given: '24GB', want: undefined },
  'a unit in the wrong case': { given: '24gi', want: undefined },
  'a space': { given: '24 Gi', want: undefined },
  'an exponent no disk has': { given: '1e999999999', want: undefined },
};
for (const [name, { given, want }] of Object.entries(quantities)) {
  test(`a quantity of ${name}`, () => assert.equal(quantityInNanos(given), want));
}

test('spellings of one quantity have one canonical form, and no other quantity has it', () => {
  const same = ['24Gi', '24576Mi', 25769803776, '25769803776', '0.0234375Ti', '25769803776000m'];
  assert.equal(new Set(same.map(canonicalQuantity)).size, 1);
  assert.notEqual(canonicalQuantity('24Gi'), canonicalQuantity('24G'));
  assert.equal(canonicalQuantity('a lot'), 'a lot');
});
