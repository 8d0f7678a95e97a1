import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schema } from './schema.ts';
import { defaulted, pruned, undeclared, violations } from './structural.ts';

const schema: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    size: { type: 'integer', minimum: 1, maximum: 9 },
    ratio: { type: 'number' },
    port: { 'x-kubernetes-int-or-string': true },
    maybe: { type: 'string', nullable: true },
    mode: { type: 'string', default: 'fast' },
    inner: { type: 'object', properties: { depth: { type: 'integer', default: 3 } } },
    items: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'object', properties: { id: { type: 'integer' } } } },
    extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

test('what is not declared is dropped, at every depth; what may hold anything keeps it', () => {
  const value = { name: 'ab', odd: 1, inner: { odd: 1 }, items: [{ id: 1, odd: 1 }], extra: { odd: 1 }, labels: { odd: 'x' } };
  assert.deepEqual(pruned(value, schema), { name: 'ab', inner: {}, items: [{ id: 1 }], extra: { odd: 1 }, labels: { odd: 'x' } });
  assert.deepEqual(undeclared(value, schema), ['odd', 'inner.odd', 'items[0].odd']);
});

test('defaults fill gaps, at every depth that is there; null is a gap where it is no value', () => {
  assert.deepEqual(defaulted({ name: 'ab', inner: {} }, schema), { name: 'ab', mode: 'fast', inner: { depth: 3 } });
  assert.deepEqual(defaulted(pruned({ name: 'ab', mode: null, maybe: null }, schema), schema), {
    name: 'ab',
    mode: 'fast',
    maybe: null,
  });
});

const wrong: Record<string, { given: object; want: string[] }> = {
  nothing: { given: { name: 'abc', size: 1, ratio: 2, port: 'http', maybe: null }, want: [] },
  'a missing field': { given: {}, want: ['FieldValueRequired name'] },
  'too small': { given: { name: 'abc', size: 0 }, want: ['FieldValueInvalid size'] },
  'too large': { given: { name: 'abc', size: 10 }, want: ['FieldValueInvalid size'] },
  'no whole number': { given: { name: 'abc', size: 1.5 }, want: ['FieldValueTypeInvalid size'] },
  'neither number nor text': { given: { name: 'abc', port: true }, want: ['FieldValueTypeInvalid port'] },
  'too short and no match': { given: { name: 'A' }, want: ['FieldValueInvalid name', 'FieldValueInvalid name'] },
  'too long': { given: { name: 'abcdef' }, want: ['FieldValueTooLong name'] },
  'too few items': { given: { name: 'abc', items: [] }, want: ['FieldValueInvalid items'] },
  'too many items, one of a wrong type': {
    given: { name: 'abc', items: [{ id: 'x' }, {}, {}] },
    want: ['FieldValueTypeInvalid items[0].id', 'FieldValueTooMany items'],
  },
  'a map with a wrong value': { given: { name: 'abc', labels: { x: 1 } }, want: ['FieldValueTypeInvalid labels.x'] },
};
for (const [name, { given, want }] of Object.entries(wrong)) {
  test(`what is wrong: ${name}`, () => {
    assert.deepEqual(
      violations(given, schema, '').map(({ reason, field }) => `${reason} ${field}`),
      want,
    );
  });
}
