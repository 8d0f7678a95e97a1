import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from './type.ts';

type Builder = Pick<typeof TypeBox, keyof typeof Type>;

const schemas: Record<string, (type: Builder) => object> = {
  'scalars with keywords': (type) =>
    type.Object({ a: type.String({ maxLength: 3 }), b: type.Integer({ minimum: 0 }), c: type.Boolean({ default: true }) }),
  'optional fields beside required ones': (type) =>
    type.Object({ a: type.Optional(type.String({ description: 'A.' })), b: type.Integer() }, { description: 'All.' }),
  'optional fields only': (type) => type.Object({ a: type.Optional(type.Object({ b: type.Optional(type.Boolean()) })) }),
  'a field used with and without a choice': (type) => {
    const field = type.String({ pattern: '^a$' });
    return type.Object({ a: type.Optional(field), b: field });
  },
  'no fields': (type) => type.Object({}, { description: 'None.', 'x-kubernetes-preserve-unknown-fields': true }),
  lists: (type) => type.Array(type.Object({ name: type.String() }), { maxItems: 3, 'x-kubernetes-list-type': 'map' }),
  maps: (type) => type.Record(type.String(), type.String({ maxLength: 2 }), { maxProperties: 3 }),
  'what only a cluster understands': (type) =>
    type.Object({ a: type.Optional(type.Unsafe<string>({ type: 'string', enum: ['x'] })), b: type.Unsafe<number>({}) }),
};
for (const [name, build] of Object.entries(schemas))
  test(`the same keywords as TypeBox: ${name}`, () => {
    const [ours, theirs] = [build(Type), build(TypeBox)];
    assert.equal(JSON.stringify(ours), JSON.stringify(theirs));
  });
