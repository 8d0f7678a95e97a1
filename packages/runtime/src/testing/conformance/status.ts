import assert from 'node:assert/strict';
import { type ConformanceCases, refused, versionOf } from './sandbox.ts';

export const statusCases: ConformanceCases = {
  'status given at creation is dropped': async (api) => {
    const created = await api.widgets.create({ ...api.widget('a'), status: { phase: 'Ready' } });
    assert.equal(created.status, undefined);
  },
  'a write to the object leaves its status alone': async (api) => {
    await api.create('a');
    await api.patch('a', { status: { phase: 'Ready' } }, { subresource: 'status' });
    const live = await api.get('a');
    const after = await api.widgets.replace({ ...live, spec: { ...live.spec, size: 2 }, status: { phase: 'Forged' } });
    assert.deepEqual([after.spec?.size, after.status], [2, { phase: 'Ready' }]);
  },
  'a write to the status leaves spec and labels alone': async (api) => {
    const live = await api.create('a', { size: 1 }, { labels: { x: 'old' } });
    const forged = {
      ...live,
      metadata: { ...live.metadata, labels: { x: 'new' } },
      spec: { size: 9 },
      status: { phase: 'Ready' },
    };
    const after = await api.widgets.replace(forged, { subresource: 'status' });
    assert.deepEqual([after.spec?.size, after.metadata.labels, after.status], [1, { x: 'old' }, { phase: 'Ready' }]);
    assert.ok(versionOf(after) > versionOf(live));
  },
  'a status with an older version is a conflict': async (api) => {
    const live = await api.create('a');
    await api.patch('a', { spec: { size: 2 } });
    await refused(api.widgets.replace({ ...live, status: { phase: 'Late' } }, { subresource: 'status' }), 409, 'Conflict');
  },
  'a status that breaks the schema is refused': async (api) => {
    await api.create('a');
    await refused(api.patch('a', { status: { phase: 7 } }, { subresource: 'status' }), 422, 'Invalid');
  },
  'a status that changes nothing makes no new version': async (api) => {
    await api.create('a');
    const once = await api.patch('a', { status: { phase: 'Ready' } }, { subresource: 'status' });
    assert.deepEqual(await api.patch('a', { status: { phase: 'Ready' } }, { subresource: 'status' }), once);
  },
  'the status path answers with the whole object': async (api) => {
    const live = await api.create('a');
    assert.deepEqual(await api.connection.request({ method: 'GET', path: api.path('a', 'status') }), live);
  },
  'a kind without a status subresource has no status path': async (api) => {
    const name = api.namespace;
    await api.gadgets.create({ apiVersion: 'conformance.test/v1', kind: 'Gadget', metadata: { name } });
    const path = `/apis/conformance.test/v1/gadgets/${name}/status`;
    const request = api.connection.request({
      method: 'PATCH',
      path,
      contentType: 'application/merge-patch+json',
      body: { status: {} },
    });
    assert.equal(((await request.catch((error: { code: number }) => error)) as { code: number }).code, 404);
  },
};
