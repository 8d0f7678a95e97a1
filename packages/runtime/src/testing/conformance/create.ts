import assert from 'node:assert/strict';
import { type ConformanceCases, fieldsOf, ownedBy, randomName, refused } from './sandbox.ts';

export const createCases: ConformanceCases = {
  'an object created has a uid, a version, a creation time and generation 1': async (api) => {
    const { metadata, spec } = await api.create('a');
    assert.match(metadata.uid ?? '', /^[0-9a-f-]{36}$/);
    assert.match(metadata.resourceVersion ?? '', /^\d+$/);
    assert.match(metadata.creationTimestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual([metadata.generation, metadata.namespace, spec?.size], [1, api.namespace, 1]);
  },
  'what the system keeps cannot be chosen by the creator': async (api) => {
    const wished = {
      uid: 'mine',
      generation: 7,
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
    };
    const { metadata } = await api.create('a', { size: 1 }, wished);
    assert.notEqual(metadata.uid, 'mine');
    assert.notEqual(metadata.creationTimestamp, wished.creationTimestamp);
    assert.deepEqual([metadata.generation, metadata.deletionTimestamp], [1, undefined]);
  },
  'a second object of the same name is refused with AlreadyExists': async (api) => {
    await api.create('a');
    const error = await refused(api.create('a', { size: 2 }), 409, 'AlreadyExists');
    assert.match(error.message, /widgets\.conformance\.test "a" already exists/);
    assert.equal((await api.get('a')).spec?.size, 1);
  },
  'an object that brings a resource version is not created': async (api) => {
    await refused(api.create('a', { size: 1 }, { resourceVersion: '5' }), 500, '');
    assert.ok(await api.isGone('a'));
  },
  'an object without a name is refused': async (api) => {
    const { name: _name, ...metadata } = api.widget('a').metadata;
    const error = await refused(api.widgets.create({ ...api.widget('a'), metadata }), 422, 'Invalid');
    assert.deepEqual(
      error.causes.map(({ reason, field }) => [reason, field]),
      [['FieldValueRequired', 'metadata.name']],
    );
  },
  'a name that is no DNS name is refused': async (api) => {
    const error = await refused(api.create('Not_A_Name'), 422, 'Invalid');
    assert.deepEqual(fieldsOf(error), ['metadata.name']);
  },
  'generateName is completed to a name of its own': async (api) => {
    const { name: _name, ...metadata } = api.widget('a').metadata;
    const object = { ...api.widget('a'), metadata: { ...metadata, generateName: 'gen-' } };
    const [one, other] = [await api.widgets.create(object), await api.widgets.create(object)];
    assert.match(one.metadata.name ?? '', /^gen-[a-z0-9]{5}$/);
    assert.notEqual(one.metadata.name, other.metadata.name);
  },
  'a body that names another namespace than the path is refused': async (api) => {
    const body = api.widget('a', { size: 1 }, { namespace: 'default' });
    await refused(api.connection.request({ method: 'POST', path: api.path(), body }), 400, 'BadRequest');
  },
  'a body of another API version is refused': async (api) => {
    await refused(api.widgets.create({ ...api.widget('a'), apiVersion: 'conformance.test/v9' }), 400, 'BadRequest');
  },
  'a body of another kind is refused': async (api) => {
    const error = await refused(api.widgets.create({ ...api.widget('a'), kind: 'Gadget' }), 422, 'Invalid');
    assert.deepEqual(fieldsOf(error), ['kind']);
  },
  'nothing can be created in a namespace that does not exist': async (api) => {
    const error = await refused(api.create('a', { size: 1 }, { namespace: 'no-such-namespace' }), 404, 'NotFound');
    assert.match(error.message, /namespaces "no-such-namespace" not found/);
  },
  'labels that are no labels are refused': async (api) => {
    const error = await refused(api.create('a', { size: 1 }, { labels: { color: 'not a label' } }), 422, 'Invalid');
    assert.deepEqual(fieldsOf(error), ['metadata.labels']);
  },
  'an owner reference must say all of what it refers to': async (api) => {
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '' };
    const error = await refused(api.create('a', { size: 1 }, { ownerReferences: [reference] }), 422, 'Invalid');
    assert.deepEqual(fieldsOf(error), ['metadata.ownerReferences.uid']);
  },
  'an object has at most one controller': async (api) => {
    const owners = [await api.create('one'), await api.create('other')].map((owner) => ownedBy(owner, { controller: true }));
    const error = await refused(api.create('a', { size: 1 }, { ownerReferences: owners }), 422, 'Invalid');
    assert.deepEqual(fieldsOf(error), ['metadata.ownerReferences']);
  },
  'kinds without a desired state have no generation': async (api) => {
    const { metadata } = await api.configMaps.create(api.configMap('a', { key: 'value' }));
    assert.equal(metadata.generation, undefined);
  },
  'a cluster-wide object has no namespace': async (api) => {
    const name = randomName('gadget');
    const { metadata } = await api.gadgets.create({ apiVersion: 'conformance.test/v1', kind: 'Gadget', metadata: { name } });
    assert.deepEqual([metadata.name, metadata.namespace], [name, undefined]);
  },
  'an object nobody created is not found': async (api) => {
    const error = await refused(api.get('absent'), 404, 'NotFound');
    assert.match(error.message, /widgets\.conformance\.test "absent" not found/);
  },
  'a kind nobody defined is not found': async (api) => {
    await refused(api.connection.request({ method: 'GET', path: '/apis/conformance.test/v1/doodads' }), 404, '');
  },
};
