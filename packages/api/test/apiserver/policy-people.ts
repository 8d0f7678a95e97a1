/** People with exactly the rights a test gives them. */
import { randomBytes } from 'node:crypto';
import { kinds } from '@terrain/api';
import type { TestCluster } from '@terrain/embedded/testing';
import { applyManifests, type Connection, type KubeObject } from '@terrain/runtime';
import { eventually } from './policy-cluster.ts';
import { team } from './policy-objects.ts';

/** A right, in one namespace or in all. */
export type Grant = {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Left out: in every namespace. */
  readonly namespace?: string;
  /** Left out: on all objects of the kind. */
  readonly name?: string;
};

/** Somebody who may write every kind of ours in their own namespace and at cluster scope, and read nothing but that. */
export type Person = { readonly name: string; readonly connection: Connection };

/** Members may write every kind of ours in `team` and at cluster scope. */
export const writers = 'writers';
const rbac = 'rbac.authorization.k8s.io';
const prepared = new WeakMap<TestCluster, Promise<void>>();

/** A person of their own for one test, so that no test sees what another granted. */
export async function aPerson(cluster: TestCluster, grants: readonly Grant[] = []): Promise<Person> {
  const ready = prepared.get(cluster) ?? prepare(cluster);
  prepared.set(cluster, ready);
  await ready;
  const name = `person-${randomBytes(4).toString('hex')}`;
  const person = { name, connection: cluster.connectionAs(name, [writers]) };
  for (const right of grants) await grant(cluster, person, right);
  return person;
}

async function prepare(cluster: TestCluster): Promise<void> {
  const rules = kinds.map(({ group, plural }) => ({
    apiGroups: [group],
    resources: [plural],
    verbs: ['get', 'create', 'update', 'patch', 'delete'],
  }));
  const isCluster = ({ resources }: (typeof rules)[number]) => resources.some((plural) => /^workspace(template)?s$/.test(plural));
  const subjects = [{ apiGroup: rbac, kind: 'Group', name: writers }];
  const role = (name: string, some: typeof rules) => ({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules: some,
  });
  await applyManifests(
    cluster.connection(),
    [
      role('writers', rules),
      role('cluster-writers', rules.filter(isCluster)),
      binding('RoleBinding', { name: 'writers', namespace: team }, { kind: 'ClusterRole', name: 'writers' }, subjects),
      binding('ClusterRoleBinding', { name: 'writers' }, { kind: 'ClusterRole', name: 'cluster-writers' }, subjects),
    ],
    { fieldManager: 'test' },
  );
}

/** Gives a right, and returns once the API server acts on it. */
export async function grant(cluster: TestCluster, person: Person, right: Grant): Promise<void> {
  const name = `right-${randomBytes(4).toString('hex')}`;
  const rule = {
    apiGroups: [right.group],
    resources: [right.resource],
    verbs: [right.verb],
    ...(right.name === undefined ? {} : { resourceNames: [right.name] }),
  };
  const { namespace } = right;
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  await applyManifests(
    cluster.connection(),
    [
      { apiVersion: `${rbac}/v1`, kind, metadata, rules: [rule] } as KubeObject,
      binding(`${kind}Binding`, metadata, { kind, name }, [{ apiGroup: rbac, kind: 'User', name: person.name }]),
    ],
    { fieldManager: 'test' },
  );
  await eventually(`${person.name} may ${right.verb} ${right.resource}`, async () => {
    if (!(await may(person.connection, right))) throw new Error('not yet');
  });
}

function binding(kind: string, metadata: object, role: object, subjects: readonly object[]): KubeObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind,
    metadata,
    roleRef: { apiGroup: rbac, ...role },
    subjects,
  } as KubeObject;
}

/** Whether the person behind the connection has a right, in the API server's own words. */
export async function may(connection: Connection, right: Grant): Promise<boolean> {
  const review = await connection.request<{ status: { allowed: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { ...right, version: '*' } },
    },
  });
  return review.status.allowed;
}
