import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseWithoutManagedFields } from './without-managed-fields.ts';

const fieldsV1 = { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'f:status': { 'k:{"type":"Ready"}': { '.': {} } } };
const managedFields = [{ manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
const object = (more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { labels: { a: 'b' }, managedFields, name: 'a' },
  ...more,
});
const emptied = (more: object = {}): object => ({
  ...object(more),
  metadata: { labels: { a: 'b' }, managedFields: [], name: 'a' },
});
const read = (value: unknown): unknown => parseWithoutManagedFields(JSON.stringify(value));

test('an object, a watch event and a list are read without them', () => {
  assert.deepEqual(read(object({ spec: { size: 1 } })), emptied({ spec: { size: 1 } }));
  assert.deepEqual(read({ type: 'ADDED', object: object() }), { type: 'ADDED', object: emptied() });
  const items = [object(), object({ spec: {} })];
  assert.deepEqual(read({ kind: 'ThingList', metadata: {}, items }), {
    kind: 'ThingList',
    metadata: {},
    items: [emptied(), emptied({ spec: {} })],
  });
});

test('what has none is read as it is', () => {
  for (const value of [{}, null, 'text', [1], { kind: 'Status', code: 404 }, { metadata: { name: 'a' } }])
    assert.deepEqual(read(value), value);
});

test('a field of that name that is somebody’s data is read whole', () => {
  const template = { metadata: { managedFields: [{ manager: 'me' }] } };
  const both = object({ spec: { template } });
  assert.deepEqual(read(both), both, 'beside the real one');
  const alone = { metadata: { name: 'a' }, spec: { template } };
  assert.deepEqual(read(alone), alone, 'in place of it');
  const first = { spec: { template }, metadata: { managedFields, name: 'a' } };
  assert.deepEqual(read(first), first, 'before it');
  const some = { items: [object(), { metadata: {}, spec: { template } }] };
  assert.deepEqual(read(some), some, 'in a list');
});

test('brackets and quotes in a manager’s name do not end the list early', () => {
  const odd = { metadata: { managedFields: [{ manager: 'a"],"name":"evil","x":["\\' }], name: 'a' } };
  assert.deepEqual(read(odd), odd, 'it is read whole');
  const quoted = { metadata: { annotations: { last: '{"managedFields":[{"a":1}]}' }, name: 'a' } };
  assert.deepEqual(read(quoted), quoted);
});

test('text that is no JSON is the error JSON.parse makes of it', () => {
  for (const text of ['', '{"metadata":{"managedFields":[', '{"metadata":{"managedFields":[]', '{"managedFields":["a}'])
    assert.throws(() => parseWithoutManagedFields(text), SyntaxError);
});

test('whatever an object holds, only its managedFields differ from JSON.parse', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom('managedFields', 'metadata', 'items', 'object', 'spec'));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  const metadata = fc.record({ managedFields: fc.array(tree), name: fc.string() }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.oneof(tree, fc.record({ metadata, spec: tree })), (value) => {
      const text = JSON.stringify(value);
      const whole = JSON.parse(text) as unknown;
      assert.deepEqual(withoutThem(parseWithoutManagedFields(text)), withoutThem(whole));
    }),
    { numRuns: 5000 },
  );
});

/** With the lists emptied that a reader may not look at. */
function withoutThem(value: unknown): unknown {
  const strip = (each: unknown): unknown => {
    const { metadata } = (each ?? {}) as { metadata?: { managedFields?: unknown } | null };
    if (typeof metadata !== 'object' || metadata === null || !Array.isArray(metadata.managedFields)) return each;
    return { ...(each as object), metadata: { ...metadata, managedFields: [] } };
  };
  const { items, object: inner } = (value ?? {}) as { items?: unknown; object?: unknown };
  if (Array.isArray(items)) return { ...(value as object), items: items.map(strip) };
  if (inner !== undefined && inner !== null) return { ...(value as object), object: strip(inner) };
  return strip(value);
}
