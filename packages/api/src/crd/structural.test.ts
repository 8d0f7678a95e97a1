import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { flag, oneOf, positiveQuantity, text } from '#common/field.ts';
import { mapList } from '#common/list.ts';
import { type StructuralSchema, toStructural } from './structural.ts';

const word = (description: string) => text(63, description);

const schemas: Record<string, { given: TSchema; want: StructuralSchema }> = {
  'an object lists what is required, and no keyword of TypeBox is left': {
    given: Type.Object({ a: word('A.'), b: Type.Optional(flag('B.', { default: false })) }, { description: 'Both.' }),
    want: {
      description: 'Both.',
      type: 'object',
      required: ['a'],
      properties: {
        a: { description: 'A.', type: 'string', maxLength: 63 },
        b: { description: 'B.', type: 'boolean', default: false },
      },
    },
  },
  'a list with names is merged by them': {
    given: mapList(Type.Object({ name: word('Name.') }, { description: 'One.' }), ['name'], 'Many.', { maxItems: 3 }),
    want: {
      description: 'Many.',
      type: 'array',
      maxItems: 3,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        description: 'One.',
        type: 'object',
        required: ['name'],
        properties: { name: { description: 'Name.', type: 'string', maxLength: 63 } },
      },
    },
  },
  'a fixed set of words': {
    given: oneOf(['on', 'off'], 'Which.'),
    want: { description: 'Which.', type: 'string', enum: ['on', 'off'] },
  },
  'a map has one schema for its values': {
    given: Type.Record(Type.String(), word('Value.'), { description: 'Map.', maxProperties: 2 }),
    want: {
      description: 'Map.',
      type: 'object',
      maxProperties: 2,
      additionalProperties: { description: 'Value.', type: 'string', maxLength: 63 },
    },
  },
  'a quantity is a number or a text, judged by CEL': {
    given: positiveQuantity('size', 'Size.', { default: '1Gi' }),
    want: {
      description: 'Size.',
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      default: '1Gi',
      maxLength: 32,
      'x-kubernetes-int-or-string': true,
      'x-kubernetes-validations': [
        {
          rule: "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
          message: 'size must be a quantity above zero; write a number with an optional unit, such as 500m, 2 or 24Gi',
        },
      ],
    },
  },
};
for (const [name, { given, want }] of Object.entries(schemas)) {
  test(`structural schema: ${name}`, () => assert.deepEqual(toStructural(given, 'spec'), want));
}

const impossible: Record<string, { given: TSchema; want: RegExp }> = {
  'a field without description': {
    given: Type.Object({ a: Type.String() }, { description: 'All.' }),
    want: /^TypeError: spec\.a: every field needs a description/,
  },
  'an item without description': {
    given: Type.Array(Type.String(), { description: 'All.' }),
    want: /^TypeError: spec\[\]: every field needs a description/,
  },
  'a tuple': {
    given: Type.Object({ a: Type.Tuple([Type.String()], { description: 'A.' }) }, { description: 'All.' }),
    want: /^TypeError: spec\.a: a CRD schema cannot express .*additionalItems/,
  },
  'a literal': {
    given: Type.Object({ a: Type.Literal('x', { description: 'A.' }) }, { description: 'All.' }),
    want: /^TypeError: spec\.a: a CRD schema cannot express const/,
  },
};
for (const [name, { given, want }] of Object.entries(impossible)) {
  test(`a CRD cannot be made from ${name}`, () => assert.throws(() => toStructural(given, 'spec'), want));
}
