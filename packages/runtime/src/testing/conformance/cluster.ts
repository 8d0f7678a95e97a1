import assert from 'node:assert/strict';
import { Discovery } from '#transport/discovery.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource } from '#transport/resource.ts';
import { anyFields, crd } from './kinds.ts';
import { type ConformanceCases, eventually, refused, type Sandbox, type Widget } from './sandbox.ts';

const namespaces = (api: Sandbox): Resource<Widget> =>
  new Resource(api.connection, { group: '', version: 'v1', plural: 'namespaces', namespaced: false });
const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const clusterCases: ConformanceCases = {
  'a new namespace is active and labelled with its name': async (api) => {
    const { metadata, status } = await namespaces(api).get({ name: api.namespace });
    assert.deepEqual([status?.phase, metadata.labels], ['Active', { 'kubernetes.io/metadata.name': api.namespace }]);
  },
  'a namespace under deletion takes nothing new, by whatever verb': async (api) => {
    await api.create('held', { size: 1 }, { finalizers: ['conformance.test/hold'] });
    await namespaces(api).delete({ name: api.namespace });
    assert.equal((await namespaces(api).get({ name: api.namespace })).status?.phase, 'Terminating');
    const error = await refused(api.create('late'), 403, 'Forbidden');
    assert.deepEqual(
      error.causes.map(({ reason }) => reason),
      ['NamespaceTerminating'],
    );
    await refused(api.apply('late', 'one', { spec: { size: 1 } }), 403, 'Forbidden');
    assert.equal((await api.patch('held', { spec: { size: 2 } })).spec?.size, 2);
  },
  'a namespace goes when it is empty, and not before': async (api) => {
    await api.create('free');
    await api.create('held', { size: 1 }, { finalizers: ['conformance.test/hold'] });
    await namespaces(api).delete({ name: api.namespace });
    await eventually('the free object is gone', () => api.isGone('free'));
    await eventually('the held object is marked', async () => (await api.get('held')).metadata.deletionTimestamp !== undefined);
    assert.equal((await namespaces(api).get({ name: api.namespace })).status?.phase, 'Terminating');
    await api.patch('held', { metadata: { finalizers: null } });
    await eventually('the namespace is gone', () =>
      namespaces(api)
        .get({ name: api.namespace })
        .then(
          () => false,
          () => true,
        ),
    );
  },
  'a CRD makes its kind served, and takes it along': async (api) => {
    const singular = `doohickey${api.namespace.replaceAll('-', '')}`;
    const type = { group: 'conformance.test', version: 'v1', plural: `${singular}s`, namespaced: true };
    const doohickeys = new Resource<KubeObject>(api.connection, type);
    const object = { apiVersion: 'conformance.test/v1', kind: 'Doohickey', metadata: { name: 'a', namespace: api.namespace } };
    assert.equal(await new Discovery(api.connection).find(object), undefined);
    await refused(doohickeys.create(object), 404, '');
    await api.connection.request({
      method: 'POST',
      path: crdPath,
      body: crd(type.plural, 'Doohickey', 'Namespaced', { schema: anyFields }),
    });
    await eventually('the kind is served', () => doohickeys.list().then(() => true));
    await eventually(
      'the kind is discovered',
      async () => (await new Discovery(api.connection).find(object))?.plural === type.plural,
    );
    await eventually('an object can be created', () => doohickeys.create(object).then(() => true));
    await api.connection.request({ method: 'DELETE', path: `${crdPath}/${type.plural}.conformance.test` });
    await eventually('the kind is gone', () =>
      doohickeys.list().then(
        () => false,
        (error: { code?: number }) => error.code === 404,
      ),
    );
  },
};
