import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  appliedFields,
  decodeFields,
  describePath,
  encodeFields,
  joinPath,
  nodesOf,
  withNamedAncestors,
  withoutFields,
} from './field-set.ts';
import { listByKeys, mapOfStrings, schemaOf } from './schema.ts';

const schema = schemaOf({
  'spec.ports': listByKeys('port', 'protocol'),
  'spec.options': mapOfStrings,
  'spec.blob': { type: 'object', 'x-kubernetes-map-type': 'atomic' },
});
const spec = (...path: string[]): string => joinPath(['f:spec', ...path]);
const port = (number: number): string => `k:{"port":${number},"protocol":"TCP"}`;

const applied: Record<string, { given: object; want: string[] }> = {
  'a leaf is owned': { given: { size: 1 }, want: [spec('f:size')] },
  'a list without keys is one leaf': { given: { steps: ['a', 'b'] }, want: [spec('f:steps')] },
  'an empty map is a leaf': { given: { options: {} }, want: [spec('f:options')] },
  'an atomic map is a leaf': { given: { blob: { a: 1 } }, want: [spec('f:blob')] },
  'entries of a map are owned one by one': { given: { options: { a: '1' } }, want: [spec('f:options', 'f:a')] },
  'items of a keyed list are owned as such and in their fields': {
    given: { ports: [{ protocol: 'TCP', port: 80 }] },
    want: [spec('f:ports', port(80)), spec('f:ports', port(80), 'f:protocol'), spec('f:ports', port(80), 'f:port')],
  },
};
for (const [name, { given, want }] of Object.entries(applied)) {
  test(`fields of an applied object: ${name}`, () => {
    assert.deepEqual([...appliedFields({ spec: given }, schema)], want);
  });
}

test('a comparison sees containers as well as leaves', () => {
  assert.deepEqual(
    [...nodesOf({ spec: { options: { a: '1' } } }, schema)],
    [
      [spec(), undefined],
      [spec('f:options'), undefined],
      [spec('f:options', 'f:a'), '1'],
    ],
  );
});

test('ancestors that are declared fields are added, entries of maps and items are not', () => {
  const given = new Set([spec('f:options', 'f:a'), spec('f:ports', port(80), 'f:name')]);
  assert.deepEqual(
    [...withNamedAncestors(given, schema)].sort(),
    [spec(), spec('f:options'), spec('f:options', 'f:a'), spec('f:ports'), spec('f:ports', port(80), 'f:name')].sort(),
  );
});

test('removing the last item of a list removes the list, removing a field leaves its neighbours', () => {
  const value = { spec: { size: 1, ports: [{ port: 80, protocol: 'TCP' }], options: { a: '1', b: '2' } } };
  const fields = new Set([spec('f:ports', port(80)), spec('f:options', 'f:a')]);
  assert.deepEqual(withoutFields(value, schema, fields), { spec: { size: 1, options: { b: '2' } } });
});

test('fields are encoded as managedFields shows them', () => {
  const fields = new Set([spec('f:size'), spec('f:ports', port(80)), spec('f:ports', port(80), 'f:port')]);
  assert.deepEqual(encodeFields(fields), { 'f:spec': { 'f:size': {}, 'f:ports': { [port(80)]: { '.': {}, 'f:port': {} } } } });
});

test('encoding and decoding lose nothing', () => {
  const element = fc.oneof(
    fc
      .string({ minLength: 1 })
      .filter((text) => !text.includes('\u0000'))
      .map((text) => `f:${text}`),
    fc.integer().map((n) => `v:${n}`),
  );
  fc.assert(
    fc.property(fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { minLength: 1 }), (paths) => {
      const fields = new Set(paths.map(joinPath));
      assert.deepEqual(decodeFields(encodeFields(fields)), fields);
    }),
  );
});

test('a path is described as refusals name it', () => {
  assert.equal(describePath(spec('f:ports', port(80), 'f:name')), '.spec.ports[port=80,protocol="TCP"].name');
});
