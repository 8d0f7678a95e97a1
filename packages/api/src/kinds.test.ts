import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type StructuralSchema, toStructural } from './crd/structural.ts';
import type { KindDefinition } from './kind.ts';
import { kinds } from './kinds.ts';

/** Every schema inside one, with its path. */
function* walk(schema: StructuralSchema, path: string): Generator<[string, StructuralSchema]> {
  yield [path, schema];
  const properties = (schema.properties ?? {}) as Record<string, StructuralSchema>;
  for (const [name, child] of Object.entries(properties)) yield* walk(child, `${path}.${name}`);
  if (schema.items !== undefined) yield* walk(schema.items as StructuralSchema, `${path}[]`);
  if (schema.additionalProperties !== undefined) yield* walk(schema.additionalProperties as StructuralSchema, `${path}{}`);
}

function fieldsOf(definition: KindDefinition): [string, StructuralSchema][] {
  return [...walk(toStructural(definition.spec, 'spec'), 'spec'), ...walk(toStructural(definition.status, 'status'), 'status')];
}

const sentence = /^[A-Z"`a-z<].*[.]$/s;

for (const definition of kinds) {
  const { kind } = definition;

  test(`${kind}: every text and every list has a bound, because the cost of CEL rules is estimated from them`, () => {
    const open = fieldsOf(definition)
      .filter(([, schema]) => {
        if (schema.type === 'array') return schema.maxItems === undefined;
        if (schema['x-kubernetes-int-or-string'] === true) return schema.maxLength === undefined;
        const isBounded = schema.maxLength !== undefined || schema.enum !== undefined || schema.format === 'date-time';
        return schema.type === 'string' && !isBounded;
      })
      .map(([path]) => path);
    assert.deepEqual(open, []);
  });

  test(`${kind}: every description is a sentence`, () => {
    const texts = [
      definition.description,
      ...fieldsOf(definition).map(([, schema]) => schema.description as string),
      ...definition.printerColumns.map((column) => column.description),
      ...definition.conditions.map((condition) => condition.description),
      ...definition.reasons.flatMap((reason) => [reason.description, reason.whatToDo]),
    ];
    assert.deepEqual(
      texts.filter((text) => !sentence.test(text)),
      [],
    );
  });

  test(`${kind}: every rule has a message that says what to do`, () => {
    const rules = [
      ...definition.rules,
      ...fieldsOf(definition).flatMap(([, schema]) => (schema['x-kubernetes-validations'] ?? []) as { message: string }[]),
    ];
    const unhelpful = rules.filter(({ message }) => !/;|:|must be|must have/.test(message));
    assert.deepEqual(unhelpful, []);
  });

  test(`${kind}: unknown fields are pruned, but for the variables of Ansible roles`, () => {
    const kept = fieldsOf(definition)
      .filter(([, schema]) => schema['x-kubernetes-preserve-unknown-fields'] === true)
      .map(([path]) => path.replace(/^.*\.roles\./, ''));
    assert.deepEqual(
      new Set(kept),
      new Set(kind.match(/^Workspace(Template)?$/) ? ['build[].variables', 'deploy[].variables'] : []),
    );
  });

  test(`${kind}: has what generic tools look for`, () => {
    const conditions = definition.conditions.map(({ name }) => name);
    assert.deepEqual(
      ['Ready', 'Reconciling', 'Stalled'].filter((name) => !conditions.includes(name)),
      [],
    );
    assert.deepEqual(definition.categories, ['terrain']);
    const columns = definition.printerColumns.map(({ name }) => name);
    assert.equal(columns[0], 'Phase');
    assert.deepEqual(columns.slice(-2), ['Age', 'Message']);
    assert.ok(definition.printerColumns.filter(({ priority }) => priority !== 1).length <= 5, 'the table stays narrow');
  });

  test(`${kind}: reasons are words the API server accepts in a condition`, () => {
    const names = definition.reasons.map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !/^[A-Z][A-Za-z]*$/.test(name)),
      [],
    );
  });

  test(`${kind}: a default is never needed to make an optional object appear, but for the settings of a template`, () => {
    const filled = fieldsOf(definition)
      .filter(([, schema]) => schema.type === 'object' && schema.default !== undefined)
      .map(([path]) => path);
    assert.deepEqual(
      filled.filter((path) => !/^spec\.defaults(\.|$)/.test(path)),
      [],
    );
  });
}

test('names, short names and kinds are unique', () => {
  for (const pick of [
    ({ kind }: KindDefinition) => [kind],
    ({ plural, singular, shortNames }: KindDefinition) => [plural, singular, ...shortNames],
  ]) {
    const all = kinds.flatMap(pick);
    assert.equal(new Set(all).size, all.length, all.join());
  }
});
