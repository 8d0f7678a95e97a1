import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { kwokArguments, nodeRights, nodeUser, simulatedNode, stageFile } from './simulated-node.ts';

test('a simulated node says that it is one, and takes every pod', () => {
  const node = simulatedNode(2) as unknown as { metadata: { name: string; labels: Record<string, string> }; spec?: unknown };
  assert.equal(node.metadata.name, 'simulated-2');
  assert.equal(node.metadata.labels['terrain.dev/simulated'], 'true');
  assert.equal(node.spec, undefined, 'no taint');
});

test('kwok takes care of simulated nodes only and opens no port', () => {
  const args = kwokArguments({ kubeconfig: '/k', stages: '/s' });
  assert.ok(args.includes('--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake'));
  assert.deepEqual(simulatedNode(1).metadata.annotations, { 'kwok.x-k8s.io/node': 'fake' });
  assert.ok(!args.some((argument) => /--(server-address|node-port)/.test(argument)));
});

test('all stages are in one file', () => {
  const stages = ['a', 'b'].map((name) => ({ apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage', metadata: { name } }));
  assert.deepEqual(
    parseAllDocuments(stageFile(stages)).map((document) => document.toJS()),
    stages,
  );
});

test('the rights go to the user kwok acts as', () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'kwok-controller' } };
  const [first, binding] = nodeRights(role);
  assert.equal(first, role);
  assert.deepEqual(binding, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'kwok-controller' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kwok-controller' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: nodeUser }],
  });
});
