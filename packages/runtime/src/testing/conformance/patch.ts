import assert from 'node:assert/strict';
import { type ConformanceCases, refused, type Sandbox, versionOf, type Widget } from './sandbox.ts';

const jsonPatch = (api: Sandbox, name: string, body: unknown, contentType = 'application/json-patch+json'): Promise<Widget> =>
  api.connection.request<Widget>({ method: 'PATCH', path: api.path(name), contentType, body });

export const patchCases: ConformanceCases = {
  'a merge patch changes what it names, and null removes': async (api) => {
    await api.create('a', { size: 1, color: 'red', options: { keep: 'me', drop: 'me' } });
    const { spec } = await api.patch('a', { spec: { color: null, options: { drop: null, add: 'me' } } });
    assert.deepEqual(spec, { size: 1, mode: 'fast', options: { keep: 'me', add: 'me' } });
  },
  'a merge patch replaces lists whole': async (api) => {
    await api.create('a', { size: 1, ports: [{ name: 'http', port: 80 }] });
    assert.deepEqual((await api.patch('a', { spec: { ports: [{ name: 'ssh', port: 22 }] } })).spec?.ports, [
      { name: 'ssh', port: 22 },
    ]);
  },
  'a merge patch with an older version is a conflict': async (api) => {
    const { metadata } = await api.create('a');
    await api.patch('a', { spec: { size: 2 } });
    await refused(
      api.patch('a', { metadata: { resourceVersion: metadata.resourceVersion }, spec: { size: 3 } }),
      409,
      'Conflict',
    );
  },
  'a patch of what does not exist is refused': async (api) => {
    await refused(api.patch('absent', { spec: { size: 2 } }), 404, 'NotFound');
  },
  'a patch that changes nothing makes no new version': async (api) => {
    const before = await api.create('a');
    assert.deepEqual(await api.patch('a', { spec: { size: 1 } }), before);
  },
  'a JSON patch does its steps in order': async (api) => {
    const before = await api.create('a', { size: 1, steps: ['one', 'three'] });
    const after = await jsonPatch(api, 'a', [
      { op: 'test', path: '/spec/size', value: 1 },
      { op: 'replace', path: '/spec/size', value: 2 },
      { op: 'add', path: '/spec/steps/1', value: 'two' },
      { op: 'add', path: '/spec/steps/-', value: 'four' },
      { op: 'add', path: '/metadata/annotations', value: { 'with/slash': 'x' } },
      { op: 'replace', path: '/metadata/annotations/with~1slash', value: 'y' },
    ]);
    assert.deepEqual(after.spec, { size: 2, mode: 'fast', steps: ['one', 'two', 'three', 'four'] });
    assert.deepEqual(after.metadata.annotations, { 'with/slash': 'y' });
    assert.ok(versionOf(after) > versionOf(before));
  },
  'a JSON patch with a step that fails does nothing': async (api) => {
    const before = await api.create('a');
    const steps = [
      { op: 'replace', path: '/spec/size', value: 2 },
      { op: 'test', path: '/spec/mode', value: 'slow' },
    ];
    await refused(jsonPatch(api, 'a', steps), 422, 'Invalid');
    assert.deepEqual(await api.get('a'), before);
  },
  'a JSON patch cannot remove what is not there': async (api) => {
    await api.create('a');
    await refused(jsonPatch(api, 'a', [{ op: 'remove', path: '/spec/color' }]), 422, 'Invalid');
  },
  'custom objects take no strategic merge patch': async (api) => {
    await api.create('a');
    await refused(jsonPatch(api, 'a', {}, 'application/strategic-merge-patch+json'), 415, 'UnsupportedMediaType');
  },
};
