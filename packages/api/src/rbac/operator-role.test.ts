import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorRole } from './operator-role.ts';

const [clusterRole, clusterBinding, role, binding] = operatorRole({ operatorNamespace: 'ops' });
const rules = [...clusterRole.rules, ...role.rules];

test('no wildcards, and no verb that lends or takes rights', () => {
  const forbidden = ['*', 'escalate', 'bind', 'impersonate', 'deletecollection', 'use'];
  for (const { apiGroups, resources, verbs } of rules) {
    for (const word of [...apiGroups, ...resources]) assert.ok(!word.includes('*'), `${apiGroups}/${resources}`);
    assert.deepEqual(
      verbs.filter((verb) => forbidden.includes(verb)),
      [],
      `${apiGroups}/${resources}`,
    );
  }
});

test('Secrets are not replaced as a whole, and never deleted in bulk', () => {
  const verbs = rules.filter(({ resources }) => resources.includes('secrets')).flatMap((rule) => rule.verbs);
  assert.deepEqual(verbs, ['get', 'list', 'watch', 'create', 'patch', 'delete']);
});

test('each resource stands in one rule, so that what is granted can be read off', () => {
  const named = clusterRole.rules.map(({ apiGroups, resources }) => `${apiGroups}/${resources}`);
  assert.deepEqual(named, [...new Set(named)]);
  for (const { apiGroups, resources } of rules) assert.deepEqual([apiGroups.length, resources.length], [1, 1]);
});

test('the bindings give them to the operator’s account, and to nobody else', () => {
  for (const { subjects, roleRef } of [clusterBinding, binding]) {
    assert.deepEqual(subjects, [{ kind: 'ServiceAccount', name: 'terrain-operator', namespace: 'ops' }]);
    assert.equal(roleRef.name, clusterRole.metadata.name);
  }
  assert.equal(role.metadata.namespace, 'ops');
});
