import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestCluster } from '@terrain/embedded/testing';
import { applyManifests, type Connection } from '@terrain/runtime';
import { assertRefused, create, eventually, policyCluster } from './policy-cluster.ts';
import { type Attachment, attachments } from './policy-networks-cases.ts';

const paths = {
  Pod: (namespace: string) => `/api/v1/namespaces/${namespace}/pods`,
  Deployment: (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  Job: (namespace: string) => `/apis/batch/v1/namespaces/${namespace}/jobs`,
} as const;

const label = 'pelotech.ot/workspace';
const podSpec = { containers: [{ name: 'main', image: 'example.com/shell:1' }] };
const selector = { app: 'x' };

function subjectOf(kind: Attachment['kind'], namespace: string, annotations: Readonly<Record<string, string>>): object {
  const filled = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key, value.replaceAll('HERE', namespace)]),
  );
  const metadata = { name: 'x', namespace };
  if (kind === 'Pod') return { apiVersion: 'v1', kind, metadata: { ...metadata, annotations: filled }, spec: podSpec };
  const template = { metadata: { labels: selector, annotations: filled }, spec: podSpec };
  if (kind === 'Deployment')
    return { apiVersion: 'apps/v1', kind, metadata, spec: { selector: { matchLabels: selector }, template } };
  return {
    apiVersion: 'batch/v1',
    kind,
    metadata,
    spec: { template: { ...template, spec: { ...podSpec, restartPolicy: 'Never' } } },
  };
}

const anyAttachment = Object.values(attachments).find(({ kind, words }) => kind === 'Pod' && words !== undefined)!;

/** Rights are not the question here: everybody may do everything in the namespace. */
async function labNamespace(cluster: TestCluster, labels: Readonly<Record<string, string>>): Promise<string> {
  const namespace = await cluster.namespace('lab');
  await cluster.connection().request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels } },
  });
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'everybody', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
  };
  await applyManifests(cluster.connection(), [binding], { fieldManager: 'test' });
  // The right and the label reach the parts of the API server that ask for them a moment later.
  const attachment = { ...anyAttachment, annotations: {} };
  await eventually('everybody may make pods', () => attempt(cluster.connectionAs(attachment.user), attachment, namespace));
  if (label in labels)
    await eventually('the namespace is known as one of a lab', () =>
      assert.rejects(attempt(cluster.connection(), anyAttachment, namespace), { code: 403 }),
    );
  return namespace;
}

async function attempt(connection: Connection, { kind, annotations }: Attachment, namespace: string): Promise<unknown> {
  return create(connection, paths[kind](namespace), subjectOf(kind, namespace, annotations));
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
    await connection.request({ method: 'POST', path, body: subjectOf('Pod', namespace, annotations) });
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
});
