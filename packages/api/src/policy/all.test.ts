import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from './admission-policy.ts';
import { admissionPolicies, policyDefinitions } from './all.ts';
import { policyFiles } from './files.ts';

type Validating = [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding];
const validating = admissionPolicies().filter(([{ kind }]) => kind === 'ValidatingAdmissionPolicy') as Validating[];

test('every policy has a name of its own, and a binding of that name', () => {
  const names = admissionPolicies().map(([{ metadata }]) => metadata.name);
  assert.equal(new Set(names).size, names.length);
  for (const [policy, binding] of admissionPolicies()) {
    assert.equal(binding.metadata.name, policy.metadata.name);
    assert.equal(binding.spec.policyName, policy.metadata.name);
  }
});

test('every policy fails closed, and refuses as Forbidden', () => {
  for (const [{ metadata, spec }, binding] of validating) {
    assert.equal(spec.failurePolicy, 'Fail', metadata.name);
    assert.ok(
      spec.validations.every(({ reason }) => reason === 'Forbidden'),
      metadata.name,
    );
    assert.equal(binding.spec.paramRef === undefined, spec.paramKind === undefined, metadata.name);
    if (binding.spec.paramRef !== undefined) assert.equal(binding.spec.paramRef.parameterNotFoundAction, 'Deny', metadata.name);
  }
});

test('an installation elsewhere changes every place that names it', () => {
  const elsewhere = JSON.stringify(admissionPolicies({ operatorNamespace: 'labs', operatorUser: 'operator@example.com' }));
  assert.doesNotMatch(elsewhere, /"sync-operator"|serviceaccount:sync-operator/);
  assert.match(elsewhere, /"namespace":"labs"/);
  assert.match(elsewhere, /request\.userInfo\.username != 'operator@example\.com'/);
  assert.match(JSON.stringify(admissionPolicies({ operatorNamespace: 'labs' })), /'system:serviceaccount:labs:terrain-operator'/);
});

test('only these policies exempt the operator', () => {
  const exempting = policyDefinitions()
    .filter(({ conditions }) => conditions?.['not-the-operator'] !== undefined)
    .map(({ name }) => name);
  assert.deepEqual(exempting, [
    'terrain-vmdiskimage-rights',
    'terrain-virtualmachine-rights',
    'terrain-workspace-rights',
    'terrain-virtualmachine-users',
    'terrain-workspace-users',
    'terrain-workspacetemplate-users',
  ]);
});

test('only users are warned about; everything else is refused', () => {
  for (const { name, action } of policyDefinitions()) assert.equal(action, name.endsWith('-users') ? 'Warn' : 'Deny', name);
});

test('messages are computed without asking the authorizer, which is out of reach for them', () => {
  for (const { name, variables = {}, validations } of policyDefinitions()) {
    const asking = Object.keys(variables).filter((variable) => variables[variable]?.includes('authorizer.'));
    assert.deepEqual(asking, [], name);
    for (const { messageExpression = '' } of Object.values(validations))
      assert.ok(!messageExpression.includes('authorizer.'), name);
  }
});

test('one file per policy', () => {
  assert.deepEqual(
    [...policyFiles().keys()],
    admissionPolicies().map(([{ metadata }]) => `packages/api/policies/${metadata.name}.yaml`),
  );
});
