import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDurationMs } from './duration.ts';

const durations: Record<string, { given: string; want: number | undefined }> = {
  'milliseconds are not minutes followed by an s': { given: '500ms', want: 500 },
  seconds: { given: '90s', want: 90_000 },
  minutes: { given: '30m', want: 1_800_000 },
  'hours and minutes': { given: '1h30m', want: 5_400_000 },
  zero: { given: '0s', want: 0 },
  'the largest amount of the largest unit': { given: '999999h', want: 3_599_996_400_000 },
  'a unit twice': { given: '1m1m', want: 120_000 },
  nothing: { given: '', want: undefined },
  'a number without unit': { given: '90', want: undefined },
  'days, which CEL does not know': { given: '2d', want: undefined },
  'a fraction': { given: '1.5h', want: undefined },
  'a sign': { given: '-1s', want: undefined },
  'seven digits': { given: '1000000s', want: undefined },
  'white space': { given: '1h 30m', want: undefined },
  'a line break at the end': { given: '1h\n', want: undefined },
};
for (const [name, { given, want }] of Object.entries(durations)) {
  test(`a duration: ${name}`, () => assert.equal(parseDurationMs(given), want));
}

const amount = fc.nat({ max: 999_999 });
const unit = fc.constantFrom(['ms', 1], ['s', 1_000], ['m', 60_000], ['h', 3_600_000]) as fc.Arbitrary<[string, number]>;

test('a duration is the sum of its parts, in any order and number', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(amount, unit), { minLength: 1, maxLength: 6 }), (parts) => {
      const text = parts.map(([count, [name]]) => `${count}${name}`).join('');
      const want = parts.reduce((sum, [count, [, factor]]) => sum + count * factor, 0);
      assert.equal(parseDurationMs(text), want);
    }),
  );
});

test('any text is a duration or undefined, never NaN', () => {
  fc.assert(fc.property(fc.string(), (text) => !Number.isNaN(parseDurationMs(text) ?? 0)));
});
