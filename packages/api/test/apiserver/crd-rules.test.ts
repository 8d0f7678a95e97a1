import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { crdOf, kinds } from '@terrain/api';
import { ApiError, type KubeObject } from '@terrain/runtime';
import { subjects } from './crd-cases.ts';
import { withChanges } from './crd-change.ts';
import { crdCluster, judge, pathOf, placed } from './crd-cluster.ts';
import type { RuleCase } from './crd-rule-case.ts';

/** Asserts that one thing is wrong with the object, and that a person is told so in these words. */
async function assertRefused(answer: Promise<unknown>, { field, rule, words = rule }: RuleCase): Promise<void> {
  const error = await answer.then(
    () => assert.fail(`accepted, but should be refused: ${rule}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, 422, error.message);
  const causes = error.causes.map((cause) => ({
    field: cause.field === '<nil>' ? '' : cause.field,
    words: cause.message?.endsWith(words) === true ? words : cause.message,
  }));
  assert.deepEqual(causes, [{ field, words }]);
}

for (const { good, creation, change } of subjects) {
  describe(`the rules of ${good.kind}`, () => {
    test('accept the good object', async () => {
      await judge(good);
    });

    for (const [name, one] of Object.entries(creation)) {
      test(`refuse ${name}`, async () => {
        await assertRefused(judge(withChanges(good, one.refused)), one);
        await judge(withChanges(good, one.accepted));
      });
    }

    if (Object.keys(change).length > 0) describe('about changes', () => rulesAboutChanges(good, change));
  });
}

function rulesAboutChanges(good: KubeObject, cases: Readonly<Record<string, RuleCase>>): void {
  let stored: KubeObject;
  before(async () => {
    const { connection, namespace } = await crdCluster();
    const body = placed(good, namespace);
    stored = await connection.request<KubeObject>({ method: 'POST', path: pathOf(body, 'collection'), body });
  });

  for (const [name, one] of Object.entries(cases)) {
    test(`refuse ${name}`, async () => {
      const { connection } = await crdCluster();
      const replace = (body: KubeObject) =>
        connection.request({ method: 'PUT', path: pathOf(body, 'object'), query: { dryRun: 'All' }, body });
      await assertRefused(replace(withChanges(stored, one.refused)), one);
      await replace(withChanges(stored, one.accepted));
    });
  }
}

type Schema = Readonly<Record<string, unknown>>;
type Rule = { readonly message: string; readonly fieldPath?: string };

/** Every rule of a schema, as the field it blames and its message. */
function* rulesIn(schema: Schema, path: string): Generator<string> {
  for (const { message, fieldPath = '' } of (schema['x-kubernetes-validations'] ?? []) as Rule[]) {
    yield `${path}${fieldPath}: ${message}`.replace(/^\./, '');
  }
  for (const [name, child] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    yield* rulesIn(child, `${path}.${name}`);
  }
  for (const keyword of ['items', 'additionalProperties']) {
    if (schema[keyword] !== undefined) yield* rulesIn(schema[keyword] as Schema, `${path}[]`);
  }
}

for (const definition of kinds) {
  test(`every rule in the CRD of ${definition.kind} is tried, and no other`, () => {
    const { versions } = crdOf(definition).spec as { versions: [{ schema: { openAPIV3Schema: Schema } }] };
    const inCrd = new Set(rulesIn(versions[0].schema.openAPIV3Schema, ''));
    const subject = subjects.find(({ good }) => good.kind === definition.kind);
    const tried = [...Object.values(subject?.creation ?? {}), ...Object.values(subject?.change ?? {})];
    const triedRules = new Set(tried.map(({ field, rule }) => `${field.replaceAll(/\[\d+\]/g, '[]')}: ${rule}`));
    assert.deepEqual({ untried: [...inCrd.difference(triedRules)] }, { untried: [] });
    assert.deepEqual({ gone: [...triedRules.difference(inCrd)] }, { gone: [] });
  });
}
