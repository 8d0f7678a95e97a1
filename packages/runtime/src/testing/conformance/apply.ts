import assert from 'node:assert/strict';
import { type ConformanceCases, fieldsOf, refused, versionOf, type Widget } from './sandbox.ts';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}

/** Who owns fields, and how they got them. */
const managers = ({ metadata }: Widget): string[] =>
  ((metadata.managedFields ?? []) as Entry[]).map(({ manager, operation, subresource }) =>
    [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(' '),
  );

const fieldsBy = ({ metadata }: Widget, manager: string): unknown =>
  ((metadata.managedFields ?? []) as Entry[]).find((entry) => entry.manager === manager)?.fieldsV1;

export const applyCases: ConformanceCases = {
  'applying what does not exist creates it': async (api) => {
    const { code, body } = await api.connection.exchange<Widget>({
      method: 'PATCH',
      path: api.path('a'),
      query: { fieldManager: 'one' },
      contentType: 'application/apply-patch+yaml',
      body: api.widget('a'),
    });
    assert.deepEqual([code, body.spec, managers(body)], [201, { size: 1, mode: 'fast' }, ['one Apply']]);
  },
  'the applier owns exactly what it gave': async (api) => {
    const spec = { size: 1, tags: ['t'], ports: [{ name: 'http', port: 80 }] };
    const applied = await api.apply('a', 'one', { metadata: { labels: { x: 'y' } }, spec });
    assert.deepEqual(fieldsBy(applied, 'one'), {
      'f:metadata': { 'f:labels': { 'f:x': {} } },
      'f:spec': {
        'f:size': {},
        'f:tags': { 'v:"t"': {} },
        'f:ports': { 'k:{"name":"http"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
      },
    });
  },
  'the creator owns what it gave and what was filled in': async (api) => {
    assert.deepEqual(fieldsBy(await api.widgets.create(api.widget('a'), { fieldManager: 'maker' }), 'maker'), {
      'f:spec': { '.': {}, 'f:mode': {}, 'f:size': {} },
    });
  },
  'applying the same again makes no new version': async (api) => {
    const once = await api.apply('a', 'one', { spec: { size: 1, tags: ['t'] } });
    assert.deepEqual(await api.apply('a', 'one', { spec: { size: 1, tags: ['t'] } }), once);
  },
  'two appliers may share a field of the same value': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1 } });
    const shared = await api.apply('a', 'two', { spec: { size: 1 } });
    assert.deepEqual(managers(shared).sort(), ['one Apply', 'two Apply']);
  },
  'changing a field of another applier is a conflict that names both': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, ports: [{ name: 'http', port: 80 }] }, metadata: { labels: { x: 'y' } } });
    const wanted = { spec: { size: 2, ports: [{ name: 'http', port: 81 }] }, metadata: { labels: { x: 'z' } } };
    const error = await refused(api.apply('a', 'two', wanted), 409, 'Conflict');
    assert.deepEqual(fieldsOf(error), ['.metadata.labels.x', '.spec.ports[name="http"].port', '.spec.size']);
    assert.deepEqual(
      new Set(error.causes.map(({ reason, message }) => `${reason}: ${message}`)),
      new Set(['FieldManagerConflict: conflict with "one"']),
    );
    assert.equal((await api.get('a')).spec?.size, 1);
  },
  'force takes the field over': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, color: 'red' } });
    const taken = await api.apply('a', 'two', { spec: { size: 2 } }, { force: true });
    assert.equal(taken.spec?.size, 2);
    assert.deepEqual(fieldsBy(taken, 'one'), { 'f:spec': { 'f:color': {} } });
    assert.deepEqual(fieldsBy(taken, 'two'), { 'f:spec': { 'f:size': {} } });
  },
  'a field given up by its only owner is removed': async (api) => {
    await api.apply('a', 'one', {
      metadata: { labels: { x: 'y' } },
      spec: { size: 1, color: 'red', options: { a: '1', b: '2' } },
    });
    const after = await api.apply('a', 'one', { spec: { size: 1, options: { a: '1' } } });
    assert.deepEqual([after.spec, after.metadata.labels], [{ size: 1, mode: 'fast', options: { a: '1' } }, undefined]);
  },
  'a map whose last entry is given up goes with it': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, options: { a: '1' } } });
    assert.deepEqual((await api.apply('a', 'one', { spec: { size: 1 } })).spec, { size: 1, mode: 'fast' });
  },
  'a field given up by one of two owners stays': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, color: 'red' } });
    await api.apply('a', 'two', { spec: { color: 'red' } });
    const after = await api.apply('a', 'one', { spec: { size: 1 } });
    assert.deepEqual([after.spec?.color, fieldsBy(after, 'one')], ['red', { 'f:spec': { 'f:size': {} } }]);
  },
  'a field others wrote is not touched by giving up': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, options: { mine: '1' } } });
    await api.patch('a', { spec: { options: { theirs: '2' } } }, { query: { fieldManager: 'editor' } });
    assert.deepEqual((await api.apply('a', 'one', { spec: { size: 1 } })).spec?.options, { theirs: '2' });
  },
  'items of a keyed list belong to whoever applied them': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, ports: [{ name: 'http', port: 80 }] } });
    const both = await api.apply('a', 'two', {
      spec: {
        ports: [
          { name: 'ssh', port: 22 },
          { name: 'http', note: 'web' },
        ],
      },
    });
    assert.deepEqual(both.spec?.ports, [
      { name: 'ssh', port: 22 },
      { name: 'http', port: 80, note: 'web' },
    ]);
    const after = await api.apply('a', 'two', { spec: { ports: [{ name: 'http' }] } });
    assert.deepEqual(after.spec?.ports, [{ name: 'http', port: 80 }]);
  },
  'an item new to a keyed list comes after those already there': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, ports: [{ name: 'a' }, { name: 'b' }] } });
    const after = await api.apply('a', 'two', { spec: { ports: [{ name: 'c' }] } });
    assert.deepEqual(after.spec?.ports, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  },
  'items of a set belong to whoever applied them': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, tags: ['a', 'b'] } });
    assert.deepEqual((await api.apply('a', 'two', { spec: { tags: ['b', 'c'] } })).spec?.tags, ['a', 'b', 'c']);
    assert.deepEqual((await api.apply('a', 'one', { spec: { size: 1 } })).spec?.tags, ['b', 'c']);
  },
  'a list without keys is one field': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1, steps: ['x', 'y'] } });
    assert.deepEqual(fieldsOf(await refused(api.apply('a', 'two', { spec: { steps: ['z'] } }), 409, 'Conflict')), [
      '.spec.steps',
    ]);
    assert.deepEqual((await api.apply('a', 'two', { spec: { steps: ['z'] } }, { force: true })).spec?.steps, ['z']);
  },
  'finalizers merge between appliers': async (api) => {
    await api.apply('a', 'one', { metadata: { finalizers: ['conformance.test/one'] }, spec: { size: 1 } });
    const both = await api.apply('a', 'two', { metadata: { finalizers: ['conformance.test/two'] } });
    assert.deepEqual(both.metadata.finalizers, ['conformance.test/one', 'conformance.test/two']);
    const after = await api.apply('a', 'two', {});
    assert.deepEqual(after.metadata.finalizers, ['conformance.test/one']);
  },
  'a plain write takes the field from the applier, who then meets a conflict': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1 } });
    const edited = await api.patch('a', { spec: { size: 5 } }, { query: { fieldManager: 'editor' } });
    assert.deepEqual(managers(edited), ['editor Update']);
    const error = await refused(api.apply('a', 'one', { spec: { size: 1 } }), 409, 'Conflict');
    assert.match(error.causes[0]?.message ?? '', /^conflict with "editor" using conformance\.test\/v1/);
    assert.deepEqual(managers(await api.apply('a', 'one', { spec: { size: 5 } })), ['one Apply', 'editor Update']);
  },
  'data of a ConfigMap is owned key by key': async (api) => {
    const at = { name: 'a', namespace: api.namespace };
    await api.configMaps.create(api.configMap('a', { theirs: '1' }));
    const apply = (data: Record<string, string>) => api.configMaps.apply(api.configMap('a', data), { fieldManager: 'one' });
    assert.deepEqual((await apply({ mine: '2' })).data, { theirs: '1', mine: '2' });
    await refused(apply({ theirs: '3' }), 409, 'Conflict');
    await apply({});
    assert.deepEqual((await api.configMaps.get(at)).data, { theirs: '1' });
  },
  'status is applied through its own path and owned separately': async (api) => {
    await api.apply('a', 'one', { spec: { size: 1 } });
    const status = { phase: 'Ready', conditions: [{ type: 'Ready', status: 'True' }] };
    const applied = await api.apply(
      'a',
      'one',
      { metadata: { labels: { x: 'y' } }, spec: { size: 9 }, status },
      { subresource: 'status' },
    );
    assert.deepEqual([applied.spec?.size, applied.status, applied.metadata.labels], [1, status, undefined]);
    assert.deepEqual(managers(applied).sort(), ['one Apply', 'one Apply status']);
    const ignored = await api.apply('a', 'one', { spec: { size: 1 }, status: { phase: 'Forged' } });
    assert.deepEqual(ignored, applied);
  },
  'conditions of two controllers live side by side': async (api) => {
    await api.create('a');
    const by = (manager: string, type: string, status: string) =>
      api.apply('a', manager, { status: { conditions: [{ type, status }] } }, { subresource: 'status' });
    await by('one', 'Ready', 'True');
    await by('two', 'Synced', 'True');
    assert.deepEqual((await by('one', 'Ready', 'False')).status?.conditions, [
      { type: 'Ready', status: 'False' },
      { type: 'Synced', status: 'True' },
    ]);
    const error = await refused(by('two', 'Ready', 'True'), 409, 'Conflict');
    assert.deepEqual(fieldsOf(error), ['.status.conditions[type="Ready"].status']);
  },
  'status of what does not exist cannot be applied': async (api) => {
    await refused(api.apply('absent', 'one', { status: { phase: 'Ready' } }, { subresource: 'status' }), 404, 'NotFound');
  },
  'an apply with an older version is a conflict': async (api) => {
    const { metadata } = await api.apply('a', 'one', { spec: { size: 1 } });
    await api.patch('a', { metadata: { labels: { x: 'y' } } });
    const stale = { metadata: { resourceVersion: metadata.resourceVersion! }, spec: { size: 2 } };
    await refused(api.apply('a', 'one', stale), 409, 'Conflict');
    await refused(api.apply('a', 'one', { ...stale, status: { phase: 'Late' } }, { subresource: 'status' }), 409, 'Conflict');
  },
  'an apply with a version and no object creates one': async (api) => {
    assert.equal((await api.apply('a', 'one', { metadata: { resourceVersion: '5' }, spec: { size: 1 } })).metadata.generation, 1);
  },
  'an apply with a uid never creates': async (api) => {
    const metadata = { uid: '11111111-1111-1111-1111-111111111111' };
    await refused(api.apply('a', 'one', { metadata, spec: { size: 1 } }), 409, 'Conflict');
    assert.ok(await api.isGone('a'));
  },
  'an apply meant for another object of the same name is refused': async (api) => {
    const before = await api.apply('a', 'one', { spec: { size: 1 } });
    const metadata = { uid: '11111111-1111-1111-1111-111111111111' };
    assert.ok(
      fieldsOf(await refused(api.apply('a', 'one', { metadata, spec: { size: 2 } }), 422, 'Invalid')).includes('metadata.uid'),
    );
    assert.equal(versionOf(await api.get('a')), versionOf(before));
  },
  'an apply needs a field manager': async (api) => {
    const request = {
      method: 'PATCH',
      path: api.path('a'),
      contentType: 'application/apply-patch+yaml',
      body: api.widget('a'),
    } as const;
    assert.deepEqual(fieldsOf(await refused(api.connection.request(request), 422, 'Invalid')), ['fieldManager']);
  },
  'an apply that brings managedFields is refused': async (api) => {
    await refused(api.apply('a', 'one', { metadata: { managedFields: [{}] }, spec: { size: 1 } }), 400, 'BadRequest');
  },
  'an apply of an undeclared field is refused': async (api) => {
    const error = await refused(api.apply('a', 'one', { spec: { size: 1, unheardOf: true } }), 500, '');
    assert.match(error.message, /\.spec\.unheardOf: field not declared in schema/);
  },
  'an apply with the same key twice is refused': async (api) => {
    const ports = [
      { name: 'http', port: 80 },
      { name: 'http', port: 81 },
    ];
    assert.match(
      (await refused(api.apply('a', 'one', { spec: { size: 1, ports } }), 500, '')).message,
      /duplicate entries for key/,
    );
  },
};
