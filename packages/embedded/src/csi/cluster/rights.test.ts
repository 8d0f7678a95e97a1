import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storagePrograms, storageRights } from './rights.ts';

interface Role {
  readonly kind: string;
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

test('no program may read secrets, run anything or give itself rights, and none may do everything', () => {
  const roles = storageRights().filter(({ kind }) => kind === 'ClusterRole') as unknown as Role[];
  assert.equal(roles.length, storagePrograms.length);
  const rules = roles.flatMap((role) => role.rules);
  const writing = rules.filter(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)));
  assert.deepEqual([...new Set(rules.flatMap(({ apiGroups }) => apiGroups))].sort(), [
    '',
    'snapshot.storage.k8s.io',
    'storage.k8s.io',
  ]);
  assert.deepEqual([...new Set(writing.flatMap(({ resources }) => resources))].sort(), [
    'events',
    'persistentvolumeclaims',
    'persistentvolumeclaims/status',
    'persistentvolumes',
    'volumesnapshotcontents',
    'volumesnapshotcontents/status',
    'volumesnapshots',
    'volumesnapshots/status',
  ]);
  assert.ok(!JSON.stringify(rules).includes('*') && !JSON.stringify(rules).includes('secrets'));
});
