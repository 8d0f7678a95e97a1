import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import type { TestCluster } from '@terrain/embedded/testing';
import { applyManifests, type Connection } from '@terrain/runtime';
import { assertRefused, create, eventually, policyCluster } from './policy-cluster.ts';
import { type Attachment, attachments, attachmentUsers } from './policy-networks-cases.ts';

const paths = {
  Pod: (namespace: string) => `/api/v1/namespaces/${namespace}/pods`,
  Deployment: (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  Job: (namespace: string) => `/apis/batch/v1/namespaces/${namespace}/jobs`,
  VirtualMachine: (namespace: string) => `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`,
  VirtualMachineInstance: (namespace: string) => `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances`,
  VirtualMachineInstanceReplicaSet: (namespace: string) =>
    `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstancereplicasets`,
} as const;

const label = 'pelotech.ot/workspace';
const podSpec = { containers: [{ name: 'main', image: 'example.com/shell:1' }] };
const selector = { app: 'x' };

const machineKinds = ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancereplicasets'];

function subjectOf({ kind, annotations: given, cards = [] }: Given, namespace: string): object {
  const here = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('HERE', namespace)) as T;
  const annotations = here(given);
  const metadata = { name: 'x', namespace };
  if (kind === 'Pod') return { apiVersion: 'v1', kind, metadata: { ...metadata, annotations }, spec: podSpec };
  const template = { metadata: { labels: selector, annotations }, spec: podSpec };
  if (kind === 'Deployment')
    return { apiVersion: 'apps/v1', kind, metadata, spec: { selector: { matchLabels: selector }, template } };
  if (kind === 'Job')
    return {
      apiVersion: 'batch/v1',
      kind,
      metadata,
      spec: { template: { ...template, spec: { ...podSpec, restartPolicy: 'Never' } } },
    };
  const apiVersion = 'kubevirt.io/v1';
  const spec = { domain: { devices: {} }, ...(cards.length === 0 ? {} : { networks: here(cards) }) };
  if (kind === 'VirtualMachineInstance') return { apiVersion, kind, metadata: { ...metadata, annotations }, spec };
  const machine = { metadata: { labels: selector, annotations }, spec };
  if (kind === 'VirtualMachine') return { apiVersion, kind, metadata, spec: { runStrategy: 'Always', template: machine } };
  return { apiVersion, kind, metadata, spec: { selector: { matchLabels: selector }, template: machine } };
}

type Given = Pick<Attachment, 'kind' | 'annotations' | 'cards'>;

let definitions: Promise<unknown> | undefined;

/** The kinds of KubeVirt that put pods on networks, as its own definitions have them. */
function installMachineKinds(cluster: TestCluster): Promise<unknown> {
  definitions ??= ensureUpstream().then((upstream) =>
    installDefinitions(
      cluster.connection(),
      upstream.definitions.filter(({ metadata }) => machineKinds.some((plural) => metadata.name === `${plural}.kubevirt.io`)),
    ),
  );
  return definitions;
}

const anyAttachment = Object.values(attachments).find(({ kind, words }) => kind === 'Pod' && words !== undefined)!;

/** Rights are not the question here: everybody may do everything in the namespace. */
async function labNamespace(cluster: TestCluster, labels: Readonly<Record<string, string>>): Promise<string> {
  await installMachineKinds(cluster);
  const namespace = await cluster.namespace('lab');
  await cluster.connection().request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels } },
  });
  const apiGroup = 'rbac.authorization.k8s.io';
  const apiVersion = `${apiGroup}/v1`;
  const role = {
    apiVersion,
    kind: 'Role',
    metadata: { name: 'machines', namespace },
    rules: [{ apiGroups: ['kubevirt.io'], resources: ['*'], verbs: ['*'] }],
  };
  const bindings = [
    { kind: 'ClusterRole', name: 'admin' },
    { kind: 'Role', name: 'machines' },
  ].map(({ kind, name }) => ({
    apiVersion,
    kind: 'RoleBinding',
    metadata: { name: `everybody-${name}`, namespace },
    roleRef: { apiGroup, kind, name },
    subjects: [{ apiGroup, kind: 'Group', name: 'system:authenticated' }],
  }));
  await applyManifests(cluster.connection(), [role, ...bindings], { fieldManager: 'test' });
  // The right and the label reach the parts of the API server that ask for them a moment later.
  for (const kind of ['Pod', 'VirtualMachine'] as const)
    await eventually(`everybody may make a ${kind}`, () =>
      attempt(cluster.connectionAs(anyAttachment.user), { kind, annotations: {} }, namespace),
    );
  if (label in labels)
    await eventually('the namespace is known as one of a lab', () =>
      assert.rejects(attempt(cluster.connection(), anyAttachment, namespace), { code: 403 }),
    );
  return namespace;
}

async function attempt(connection: Connection, given: Given, namespace: string): Promise<unknown> {
  return create(connection, paths[given.kind](namespace), subjectOf(given, namespace));
}

let lab: Promise<string> | undefined;

describe('who may put pods on networks of a lab', () => {
  for (const [name, attachment] of Object.entries(attachments)) {
    test(`${name}: ${attachment.words === undefined ? 'accepted' : 'refused'}`, async () => {
      const cluster = await policyCluster();
      lab ??= labNamespace(cluster, { [label]: 'demo' });
      const made = attempt(cluster.connectionAs(attachment.user), attachment, await lab);
      if (attachment.words === undefined) await made;
      else await assertRefused(made, attachment.rule.split('/')[0]!, attachment.words);
    });
  }

  test('elsewhere the annotations are nobody’s business', async () => {
    const cluster = await policyCluster();
    const namespace = await labNamespace(cluster, { demo: 'x' });
    for (const attachment of Object.values(attachments)) {
      await attempt(cluster.connectionAs(attachment.user), attachment, namespace);
    }
  });

  test('a pod that had the annotation before can still be changed', async () => {
    const cluster = await policyCluster();
    const namespace = await labNamespace(cluster, {});
    const connection = cluster.connection();
    const annotations = { 'v1.multus-cni.io/default-network': 'ws-a/front' };
    const path = paths.Pod(namespace);
    await connection.request({ method: 'POST', path, body: subjectOf({ kind: 'Pod', annotations }, namespace) });
    const patch = (where: string, body: object) =>
      connection.request({ method: 'PATCH', path: where, contentType: 'application/merge-patch+json', body });
    await patch(`/api/v1/namespaces/${namespace}`, { metadata: { labels: { [label]: 'demo' } } });
    await eventually('the namespace is known as one of a lab', () =>
      assert.rejects(attempt(connection, anyAttachment, namespace), { code: 403 }),
    );
    await patch(`${path}/x`, { metadata: { labels: { changed: 'yes' } } });
    const other = { metadata: { annotations: { 'v1.multus-cni.io/default-network': 'ws-b/front' } } };
    await assertRefused(patch(`${path}/x`, other), 'terrain-pod-networks', /default-network is not allowed here/);
    await connection.request({ method: 'DELETE', path: `${path}/x`, query: { gracePeriodSeconds: '0' } });
  });

  test('a machine is moved to another network by the operator alone, and changed otherwise by everybody', async () => {
    const cluster = await policyCluster();
    lab ??= labNamespace(cluster, { [label]: 'demo' });
    const namespace = await lab;
    const { operator, person } = attachmentUsers;
    const path = paths.VirtualMachine(namespace);
    const given: Given = { kind: 'VirtualMachine', annotations: {}, cards: [{ name: 'nic0', multus: { networkName: 'front' } }] };
    await cluster.connectionAs(operator).request({ method: 'POST', path, body: subjectOf(given, namespace) });
    const patch = (user: string, spec: object) =>
      cluster.connectionAs(user).request({
        method: 'PATCH',
        path: `${path}/x`,
        contentType: 'application/merge-patch+json',
        body: { spec },
      });
    const networksOf = (networkName: string) => ({
      template: { spec: { networks: [{ name: 'nic0', multus: { networkName } }] } },
    });
    await patch(person, { runStrategy: 'Halted' });
    const words = /Only the operator may put machines on networks here/;
    await assertRefused(patch(person, networksOf('back')), 'terrain-machine-networks', words);
    await patch(operator, networksOf('back'));
    await patch(person, { template: { spec: { networks: null } } });
    await cluster.connection().request({ method: 'DELETE', path: `${path}/x` });
  });
});
