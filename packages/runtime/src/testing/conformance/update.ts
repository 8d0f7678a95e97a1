import assert from 'node:assert/strict';
import { type ConformanceCases, fieldsOf, refused, versionOf } from './sandbox.ts';

export const updateCases: ConformanceCases = {
  'a replacement with the current version is stored under a larger one': async (api) => {
    const before = await api.create('a');
    const after = await api.widgets.replace({ ...before, spec: { ...before.spec, size: 2 } });
    assert.equal(after.spec?.size, 2);
    assert.ok(versionOf(after) > versionOf(before));
    assert.equal(after.metadata.uid, before.metadata.uid);
  },
  'a replacement with an older version is a conflict': async (api) => {
    const before = await api.create('a');
    await api.patch('a', { spec: { size: 2 } });
    const error = await refused(api.widgets.replace({ ...before, spec: { size: 3 } }), 409, 'Conflict');
    assert.match(error.message, /the object has been modified/);
    assert.equal((await api.get('a')).spec?.size, 2);
  },
  'a custom object is not replaced without a version': async (api) => {
    await api.create('a');
    assert.deepEqual(fieldsOf(await refused(api.widgets.replace(api.widget('a')), 422, 'Invalid')), ['metadata.resourceVersion']);
  },
  'a ConfigMap is replaced without a version': async (api) => {
    await api.configMaps.create(api.configMap('a', { key: 'old' }));
    assert.deepEqual((await api.configMaps.replace(api.configMap('a', { key: 'new' }))).data, { key: 'new' });
  },
  'what does not exist cannot be replaced': async (api) => {
    await refused(api.widgets.replace(api.widget('a', { size: 1 }, { resourceVersion: '5' })), 404, 'NotFound');
  },
  'a replacement must bear the name of the path': async (api) => {
    const { metadata } = await api.create('a');
    const body = api.widget('b', { size: 1 }, { resourceVersion: metadata.resourceVersion! });
    await refused(api.connection.request({ method: 'PUT', path: api.path('a'), body }), 400, 'BadRequest');
  },
  'a replacement meant for another object of the same name is a conflict': async (api) => {
    const before = await api.create('a');
    const metadata = { ...before.metadata, uid: '11111111-1111-1111-1111-111111111111' };
    await refused(api.widgets.replace({ ...before, metadata }), 409, 'Conflict');
  },
  'a replacement that changes nothing makes no new version': async (api) => {
    const before = await api.create('a');
    assert.deepEqual(await api.widgets.replace(before), before);
  },
  'the generation counts changes of the spec only': async (api) => {
    await api.create('a');
    assert.equal((await api.patch('a', { metadata: { labels: { x: 'y' } } })).metadata.generation, 1);
    assert.equal((await api.patch('a', { spec: { size: 2 } })).metadata.generation, 2);
    assert.equal((await api.patch('a', { status: { phase: 'Ready' } }, { subresource: 'status' })).metadata.generation, 2);
  },
  'without a status subresource the generation counts everything but metadata': async (api) => {
    const name = api.namespace;
    const object = { apiVersion: 'conformance.test/v1', kind: 'Gadget', metadata: { name }, status: { phase: 'New' } };
    const created = await api.gadgets.create(object);
    assert.deepEqual(created.status, { phase: 'New' });
    assert.equal((await api.gadgets.mergePatch({ name }, { status: { phase: 'Old' } })).metadata.generation, 2);
    assert.equal((await api.gadgets.mergePatch({ name }, { metadata: { labels: { x: 'y' } } })).metadata.generation, 2);
  },
  'versions grow over all kinds together': async (api) => {
    const first = await api.create('a');
    const second = await api.configMaps.create(api.configMap('a', {}));
    const third = await api.create('b');
    assert.ok(versionOf(first) < versionOf(second) && versionOf(second) < versionOf(third));
  },
};
