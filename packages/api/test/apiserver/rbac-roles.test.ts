/** Who may do what, asked of the API server and compared with the table people read. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { TestCluster } from '@terrain/embedded/testing';
import { applyManifests, type KubeObject } from '@terrain/runtime';
import { eventually, policyCluster } from './policy-cluster.ts';
import { team } from './policy-objects.ts';
import { may } from './policy-people.ts';

const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'use',
  'escalate',
  '*',
] as const;
type Verb = (typeof verbs)[number];

const read: readonly Verb[] = ['get', 'list', 'watch'];
const write: readonly Verb[] = ['create', 'update', 'patch'];
const all: readonly Verb[] = [...read, ...write, 'delete', 'deletecollection'];
const none: readonly Verb[] = [];

const columns = {
  template: { group: 'workshop.platform', resource: 'workspacetemplates' },
  instance: { group: 'workshop.platform', resource: 'workspaceinstances' },
  workspace: { group: 'pelotech.ot', resource: 'workspaces' },
  image: { group: 'pelotech.ot', resource: 'vmdiskimages' },
  dataSync: { group: 'pelotech.ot', resource: 'datasyncs' },
  machine: { group: 'pelotech.ot', resource: 'virtualmachines' },
} as const;
type Row = Readonly<Record<keyof typeof columns, readonly Verb[]>>;

/** What each role gives when bound for the cluster. */
const clusterWide: Readonly<Record<string, Row>> = {
  'terrain-admin': { template: all, instance: all, workspace: all, image: [...all, 'use'], dataSync: all, machine: all },
  'terrain-author': {
    template: all,
    instance: read,
    workspace: all,
    image: [...read, ...write, 'use'],
    dataSync: [...read, ...write],
    machine: all,
  },
  'terrain-instructor': {
    template: read,
    instance: all,
    workspace: read,
    image: [...read, 'use'],
    dataSync: read,
    machine: read,
  },
  'terrain-viewer': { template: read, instance: read, workspace: read, image: read, dataSync: read, machine: read },
  admin: { template: none, instance: all, workspace: none, image: [...all, 'use'], dataSync: all, machine: all },
  edit: {
    template: none,
    instance: all,
    workspace: none,
    image: [...read, ...write, 'use'],
    dataSync: [...read, ...write],
    machine: all,
  },
  view: { template: none, instance: read, workspace: none, image: read, dataSync: read, machine: read },
  'no-role': { template: none, instance: none, workspace: none, image: none, dataSync: none, machine: none },
};

/** What nobody gets through a role of ours. */
const beyond = [
  { group: '', resource: 'secrets', verb: 'get' },
  { group: '', resource: 'pods', verb: 'create' },
  { group: '', resource: 'namespaces', verb: 'create' },
  { group: '', resource: 'configmaps', verb: 'update' },
  { group: 'kubevirt.io', resource: 'virtualmachines', verb: 'get' },
  { group: 'cdi.kubevirt.io', resource: 'datavolumes', verb: 'create' },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', verb: 'bind' },
  { group: 'pelotech.ot', resource: 'vmdiskimages/status', verb: 'update' },
  { group: 'workshop.platform', resource: 'workspaceinstances/status', verb: 'patch' },
] as const;

const userOf = (role: string, where: 'cluster' | 'team') => `${where}-${role}`;

async function bindEverybody(cluster: TestCluster): Promise<void> {
  const group = 'rbac.authorization.k8s.io';
  const bindings = Object.keys(clusterWide)
    .filter((role) => role !== 'no-role')
    .flatMap((role) => {
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name: role };
      const subjects = (where: 'cluster' | 'team') => [{ apiGroup: group, kind: 'User', name: userOf(role, where) }];
      return [
        {
          apiVersion: `${group}/v1`,
          kind: 'ClusterRoleBinding',
          metadata: { name: `test-${role}` },
          roleRef,
          subjects: subjects('cluster'),
        },
        {
          apiVersion: `${group}/v1`,
          kind: 'RoleBinding',
          metadata: { name: `test-${role}`, namespace: team },
          roleRef,
          subjects: subjects('team'),
        },
      ];
    });
  await applyManifests(cluster.connection(), bindings as KubeObject[], { fieldManager: 'test' });
}

/** The row of the table for one person, as the API server answers it. */
async function rowOf(cluster: TestCluster, user: string, namespace: string | undefined): Promise<Row> {
  const connection = cluster.connectionAs(user);
  const cells = await Promise.all(
    Object.entries(columns).map(async ([column, target]) => {
      const isCluster = column === 'template' || column === 'workspace';
      const place = isCluster || namespace === undefined ? {} : { namespace };
      const allowed = await Promise.all(verbs.map((verb) => may(connection, { ...target, verb, ...place })));
      return [column, verbs.filter((_, n) => allowed[n])] as const;
    }),
  );
  return Object.fromEntries(cells) as unknown as Row;
}

describe('a role bound for the cluster', () => {
  before(async () => bindEverybody(await policyCluster()));
  for (const [role, want] of Object.entries(clusterWide)) {
    // Aggregation into admin, edit and view is the work of a controller, and may take a moment.
    test(`${role} is as in the table`, async () => {
      const cluster = await policyCluster();
      await eventually(role, async () => assert.deepEqual(await rowOf(cluster, userOf(role, 'cluster'), undefined), want));
    });
  }
});

describe('a role bound in one namespace', () => {
  before(async () => bindEverybody(await policyCluster()));
  for (const [role, row] of Object.entries(clusterWide)) {
    test(`${role} gives the namespaced kinds there, and nothing elsewhere`, async () => {
      const cluster = await policyCluster();
      const user = userOf(role, 'team');
      await eventually(role, async () =>
        assert.deepEqual(await rowOf(cluster, user, team), { ...row, template: none, workspace: none }),
      );
      assert.deepEqual(await rowOf(cluster, user, 'default'), clusterWide['no-role']);
    });
  }
});

describe('beyond our kinds', () => {
  for (const role of Object.keys(clusterWide).filter((name) => name.startsWith('terrain-'))) {
    test(`${role} gives nothing`, async () => {
      const connection = (await policyCluster()).connectionAs(userOf(role, 'cluster'));
      for (const { resource, ...rest } of beyond) {
        const [plural = '', subresource] = resource.split('/');
        const right = { ...rest, resource: plural, ...(subresource === undefined ? {} : { subresource }) };
        assert.equal(await may(connection, right), false, `${rest.verb} ${resource}`);
      }
    });
  }
});
