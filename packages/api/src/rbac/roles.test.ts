import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '#kinds.ts';
import { roleFiles } from './files.ts';
import { operatorIdentity } from './operator-identity.ts';
import { peopleRoles } from './roles.ts';

test('roles name every verb they give, and kinds of ours only', () => {
  const known = new Set(kinds.map(({ group, plural }) => `${plural}.${group}`));
  for (const { metadata, rules } of peopleRoles()) {
    for (const { apiGroups, resources, verbs } of rules) {
      assert.ok(!verbs.includes('*'), metadata.name);
      for (const resource of resources) assert.ok(known.has(`${resource}.${apiGroups[0]}`), `${metadata.name}: ${resource}`);
    }
  }
});

test('only roles of namespaced kinds grow into admin, edit and view', () => {
  const clusterScoped = kinds.filter(({ scope }) => scope === 'Cluster').map(({ plural }) => plural);
  const growing = peopleRoles().filter(({ metadata }) => metadata.labels !== undefined);
  assert.deepEqual(
    growing.map(({ metadata }) => metadata.labels),
    ['admin', 'edit', 'view'].map((role) => ({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' })),
  );
  for (const { metadata, rules } of growing) {
    const named = rules.flatMap(({ resources }) => resources);
    assert.deepEqual(
      named.filter((resource) => clusterScoped.includes(resource)),
      [],
      metadata.name,
    );
  }
});

test('one file per role', () => {
  assert.deepEqual(
    [...roleFiles().keys()],
    peopleRoles().map(({ metadata }) => `packages/api/roles/${metadata.name}.yaml`),
  );
});

test('the operator lives where it was installed', () => {
  assert.deepEqual(operatorIdentity({ operatorNamespace: 'labs' }), [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'labs' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'terrain-operator', namespace: 'labs' } },
  ]);
});
