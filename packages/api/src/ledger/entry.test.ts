import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatEntry, parseEntry } from './entry.ts';
import { anEntry, entries } from './ledger.arbitrary.ts';

test('an entry is written as the API server’s policies look for it', () => {
  assert.equal(
    formatEntry(anEntry),
    '{"image":"vmdi-farm/demo-vmdi","attempt":3,"seq":17,"since":"2026-01-15T10:00:00Z","state":"open"}',
  );
});

test('every entry is read back as it was written', () => {
  fc.assert(fc.property(entries, (entry) => assert.deepEqual(parseEntry(formatEntry(entry)), entry)));
});

test('no text makes reading fail: it is an entry in its one form, or a sentence', () => {
  const almost = entries.chain((entry) => {
    const text = formatEntry(entry);
    return fc
      .tuple(fc.nat(text.length - 1), fc.string({ maxLength: 3 }))
      .map(([at, patch]) => text.slice(0, at) + patch + text.slice(at + 1));
  });
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), almost), (text) => {
      const entry = parseEntry(text);
      if (typeof entry !== 'string') assert.equal(formatEntry(entry), text);
    }),
  );
});

const text = formatEntry(anEntry);
const refused: Record<string, { given: string; want: RegExp }> = {
  'text that is not JSON': { given: 'open', want: /^is not JSON$/ },
  'JSON that is no object': { given: '[3]', want: /^is not a JSON object$/ },
  'JSON null': { given: 'null', want: /^is not a JSON object$/ },
  'a missing field': { given: text.replace(',"state":"open"', ''), want: /^has no field state$/ },
  'a field inherited only': { given: '{"__proto__":{"image":"a/b"}}', want: /^has no field image$/ },
  'an image without namespace': { given: text.replace('vmdi-farm/', ''), want: /^has an image that is not namespace\/name$/ },
  'attempt zero': {
    given: text.replace('"attempt":3', '"attempt":0'),
    want: /^has an attempt that is not a whole number from 1$/,
  },
  'a seq in quotes': { given: text.replace('17', '"17"'), want: /^has a seq that is not a whole number from 1$/ },
  'an instant without zone': { given: text.replace('00Z', '00'), want: /^has a since that is not an instant in UTC$/ },
  'another state': { given: text.replace('open', 'done'), want: /^has a state other than open and closing$/ },
  'spaces the policies would not expect': {
    given: text.replace(',"state":', ', "state": '),
    want: /^is not written as \{"image"/,
  },
  'a field this version does not know': { given: text.replace('}', ',"pod":"x"}'), want: /^is not written as \{"image"/ },
};

for (const [name, { given, want }] of Object.entries(refused)) {
  test(`${name} is refused with a sentence`, () => {
    const problem = parseEntry(given);
    assert.ok(typeof problem === 'string');
    assert.match(problem, want);
  });
}
