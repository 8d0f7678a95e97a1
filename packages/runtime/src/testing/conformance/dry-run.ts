import assert from 'node:assert/strict';
import { type ConformanceCases, fieldsOf, refused } from './sandbox.ts';

export const dryRunCases: ConformanceCases = {
  'a dry creation answers as a real one and stores nothing': async (api) => {
    const { metadata, spec } = await api.widgets.create(api.widget('a'), { dryRun: true });
    assert.match(metadata.uid ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual([metadata.resourceVersion, spec], [undefined, { size: 1, mode: 'fast' }]);
    assert.ok(await api.isGone('a'));
  },
  'a dry creation is refused like a real one': async (api) => {
    await refused(api.widgets.create(api.widget('a', { size: -1 }), { dryRun: true }), 422, 'Invalid');
    await api.create('b');
    await refused(api.widgets.create(api.widget('b'), { dryRun: true }), 409, 'AlreadyExists');
  },
  'a dry change shows the result and stores nothing': async (api) => {
    const before = await api.create('a');
    const shown = await api.patch('a', { spec: { size: 9 } }, { query: { dryRun: 'All' } });
    assert.deepEqual(
      [shown.spec?.size, shown.metadata.generation, shown.metadata.resourceVersion],
      [9, 2, before.metadata.resourceVersion],
    );
    assert.deepEqual(await api.get('a'), before);
  },
  'a dry apply meets conflicts and stores nothing': async (api) => {
    const before = await api.apply('a', 'one', { spec: { size: 1 } });
    await refused(api.apply('a', 'two', { spec: { size: 2 } }, { dryRun: true }), 409, 'Conflict');
    assert.equal((await api.apply('a', 'one', { spec: { size: 2 } }, { dryRun: true })).spec?.size, 2);
    assert.deepEqual(await api.get('a'), before);
  },
  'a dry deletion deletes nothing': async (api) => {
    const before = await api.create('a', { size: 1 }, { finalizers: ['conformance.test/hold'] });
    const shown = await api.delete('a', undefined, { dryRun: 'All' });
    assert.notEqual(shown.metadata.deletionTimestamp, undefined);
    assert.deepEqual(await api.get('a'), before);
  },
  'half a dry run is no dry run': async (api) => {
    const request = api.connection.request({
      method: 'POST',
      path: api.path(),
      query: { dryRun: 'Some' },
      body: api.widget('a'),
    });
    assert.deepEqual(fieldsOf(await refused(request, 422, 'Invalid')), ['dryRun']);
  },
};
