import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCluster } from '@terrain/embedded/testing';
import { Connection, Discovery, type KubeObject, loadKubeconfig } from '@terrain/runtime';

interface Review extends KubeObject {
  readonly status: { readonly userInfo: { readonly username: string; readonly groups: readonly string[] } };
}
const whoAmI = {
  method: 'POST',
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
} as const;
const nameOf = async (connection: Connection): Promise<string> =>
  (await connection.request<Review>(whoAmI)).status.userInfo.username;

test('a client certificate, a kubeconfig and impersonation each say who we are', async () => {
  const cluster = await testCluster();
  assert.equal(await nameOf(cluster.connectionAs('eva', ['team'])), 'eva');
  await using fromFile = new Connection(await loadKubeconfig({ file: cluster.kubeconfig }));
  assert.equal(await nameOf(fromFile), await nameOf(cluster.connection()));
  await using acting = new Connection({ ...cluster.credentials, impersonate: { user: 'max', groups: ['a', 'b'] } });
  const { username, groups } = (await acting.request<Review>(whoAmI)).status.userInfo;
  assert.equal(username, 'max');
  assert.deepEqual(
    groups.filter((group) => !group.startsWith('system:')),
    ['a', 'b'],
  );
});

test('a service account token is taken, and one that the server refuses is renewed', async () => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace();
  const { status } = await cluster.connection().request<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const { server, ca } = cluster.credentials;
  let reads = 0;
  const token = async (): Promise<string> => (++reads === 1 ? 'expired' : status.token);
  await using connection = new Connection({ server, token, ...(ca === undefined ? {} : { ca }) });
  assert.equal(await nameOf(connection), `system:serviceaccount:${namespace}:default`);
  assert.equal(reads, 2);
});

test('a server signed by an authority we do not know is refused before anything is sent', async () => {
  const cluster = await testCluster();
  const { ca: _ca, ...withoutAuthority } = cluster.credentials;
  await using connection = new Connection(withoutAuthority);
  await assert.rejects(connection.request(whoAmI), { name: 'NoAnswerError', message: /unable to verify|self-signed|unknown/i });
});

test('kinds are found by asking; one that is not served is undefined', async () => {
  const cluster = await testCluster();
  const discovery = new Discovery(cluster.connection());
  assert.deepEqual(await discovery.find({ apiVersion: 'apps/v1', kind: 'Deployment' }), {
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    namespaced: true,
  });
  assert.deepEqual(await discovery.find({ apiVersion: 'v1', kind: 'Namespace' }), {
    group: '',
    version: 'v1',
    plural: 'namespaces',
    namespaced: false,
  });
  assert.equal(await discovery.find({ apiVersion: 'nobody.example/v1', kind: 'Thing' }), undefined);
  assert.equal(await discovery.find({ apiVersion: 'v1', kind: 'Thing' }), undefined);
});

test('warnings of the server arrive', async () => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace();
  const { warnings } = await cluster.connection().exchange({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    query: { fieldValidation: 'Warn' },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, nonsense: true },
  });
  assert.deepEqual(warnings, ['unknown field "nonsense"']);
});
