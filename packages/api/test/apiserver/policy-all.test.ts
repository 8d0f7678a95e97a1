/** What must hold of the policies as a whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyDefinitions } from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';
import { eventually, policyCluster } from './policy-cluster.ts';
import { deletions } from './policy-in-use-cases.ts';
import { changes, downloads } from './policy-ledger-cases.ts';
import { attachments } from './policy-networks-cases.ts';
import { holders } from './policy-objects.ts';
import { borrowings } from './policy-rights-cases.ts';
import { refusedUrls } from './policy-source-cases.ts';
import { warned } from './policy-warnings-cases.ts';

const isRefused = ({ words }: { words?: RegExp }): boolean => words !== undefined;

/** `policy/validation` of every refusal, or warning, that some test provokes with its words. */
const provoked = new Set([
  ...Object.keys(holders).flatMap((kind) =>
    Object.keys(refusedUrls).map((rule) => `terrain-${kind.toLowerCase()}-source/${rule}`),
  ),
  ...Object.values(borrowings).map(({ rule }) => rule),
  ...Object.values(deletions)
    .filter(isRefused)
    .map(({ rule }) => rule),
  ...Object.values(attachments)
    .filter(isRefused)
    .map(({ rule }) => rule),
  ...Object.values(warned).flatMap(({ rules }) => rules),
  ...(Object.values(changes).some(isRefused) ? ['terrain-ledger-limit/withinLimit'] : []),
  ...(Object.values(downloads).some(isRefused) ? ['terrain-datavolume-slot/openEntry'] : []),
  // Their objects are no table: a namespace, and the ledger itself.
  'terrain-namespace-in-use/unused',
  'terrain-ledger-deletion/withNamespace',
]);

test('every validation of every policy is seen to refuse', () => {
  const rules = policyDefinitions().flatMap(({ name, validations }) => Object.keys(validations).map((rule) => `${name}/${rule}`));
  assert.deepEqual([...provoked].sort(), rules.sort());
});

test('the API server finds no fault in the types of any expression', async () => {
  type Policy = KubeObject & {
    readonly status?: { readonly observedGeneration?: number; readonly typeChecking?: { readonly expressionWarnings?: unknown } };
  };
  const connection = (await policyCluster()).connection();
  for (const { name } of policyDefinitions()) {
    const path = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${name}`;
    await eventually(`the expressions of ${name} are checked`, async () => {
      const { metadata, status } = await connection.request<Policy>({ method: 'GET', path });
      assert.equal(status?.observedGeneration, metadata.generation);
      assert.equal(status?.typeChecking?.expressionWarnings, undefined, JSON.stringify(status, null, 2));
    });
  }
});

test('every refusal is a sentence and says what to do', () => {
  for (const { name, purpose, validations } of policyDefinitions()) {
    assert.match(purpose, /^[A-Z].*\.$/, name);
    for (const [rule, { message }] of Object.entries(validations)) assert.match(message, /^[A-Z].{30,}/, `${name}/${rule}`);
  }
});
