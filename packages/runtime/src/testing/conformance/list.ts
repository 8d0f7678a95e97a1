import assert from 'node:assert/strict';
import type { ApiError } from '#transport/api-error.ts';
import { type ConformanceCases, fieldsOf, refused, type Sandbox, versionOf } from './sandbox.ts';

const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const partialList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

async function createAll(api: Sandbox, ...names: readonly string[]): Promise<void> {
  for (const name of names) await api.create(name);
}

/** A token that claims to be as old as the cluster. */
function aged(token: string): string {
  const content = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as object;
  return Buffer.from(JSON.stringify({ ...content, rv: 2 })).toString('base64url');
}

export const listCases: ConformanceCases = {
  'a list is sorted by name, says its kind and carries a version': async (api) => {
    await createAll(api, 'c', 'a', 'b');
    const { kind, apiVersion, metadata, items } = await api.list();
    assert.deepEqual([kind, apiVersion], ['WidgetList', 'conformance.test/v1']);
    assert.deepEqual(
      items.map((item) => item.metadata.name),
      ['a', 'b', 'c'],
    );
    assert.ok(items.every((item) => versionOf(item) <= BigInt(metadata.resourceVersion)));
  },
  'a list over all namespaces holds this one too': async (api) => {
    await createAll(api, 'a');
    const { items } = await api.widgets.list();
    assert.ok(items.some(({ metadata }) => metadata.namespace === api.namespace));
  },
  'pages show one moment, whatever happens between them': async (api) => {
    await createAll(api, 'a', 'b', 'c', 'd', 'e');
    const first = await api.list({ limit: 2 });
    await api.delete('d');
    await api.create('bb');
    await api.patch('c', { spec: { size: 7 } });
    const second = await api.list({ limit: 2, continue: first.metadata.continue! });
    const third = await api.list({ limit: 2, continue: second.metadata.continue! });
    const pages = [first, second, third];
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ metadata }) => metadata.name)),
      [['a', 'b'], ['c', 'd'], ['e']],
    );
    assert.deepEqual(
      pages.map(({ metadata }) => metadata.remainingItemCount),
      [3, 1, undefined],
    );
    assert.equal(new Set(pages.map(({ metadata }) => metadata.resourceVersion)).size, 1);
    assert.equal(second.items[0]?.spec?.size, 1);
    assert.equal(third.metadata.continue ?? '', '');
  },
  'with a selector the rest is not counted': async (api) => {
    for (const name of ['a', 'b']) await api.create(name, { size: 1 }, { labels: { x: 'y' } });
    const { metadata } = await api.list({ limit: 1, labelSelector: 'x=y' });
    assert.equal(metadata.remainingItemCount, undefined);
    assert.deepEqual(await api.names({ labelSelector: 'x=y', continue: metadata.continue! }), ['b']);
  },
  'a page cannot be asked for at a version': async (api) => {
    await createAll(api, 'a', 'b');
    const { metadata } = await api.list({ limit: 1 });
    await refused(
      api.list({ limit: 1, continue: metadata.continue!, resourceVersion: metadata.resourceVersion }),
      400,
      'BadRequest',
    );
  },
  'a token nobody issued is refused': async (api) => {
    await refused(api.list({ limit: 1, continue: 'made-up' }), 400, 'BadRequest');
  },
  'a token that is too old is expired': async (api) => {
    await createAll(api, 'a', 'b', 'c');
    const { metadata } = await api.list({ limit: 1 });
    await api.target.compact();
    const error = await refused(api.list({ limit: 1, continue: aged(metadata.continue!) }), 410, 'Expired');
    assert.match(error.message, /The provided continue parameter is too old to display a consistent list result/);
  },
  'a list at a version that is forgotten is expired': async (api) => {
    await createAll(api, 'a');
    await api.target.compact();
    await refused(api.list({ resourceVersion: '2', resourceVersionMatch: 'Exact' }), 410, 'Expired');
  },
  'a list at an exact version shows that moment': async (api) => {
    await createAll(api, 'a', 'b');
    const { metadata } = await api.list();
    await api.delete('a');
    await api.create('c');
    const query = { resourceVersion: metadata.resourceVersion, resourceVersionMatch: 'Exact' };
    assert.deepEqual(await api.names(query), ['a', 'b']);
    assert.deepEqual(await api.names(), ['b', 'c']);
  },
  'a list not older than a version has at least that one': async (api) => {
    const { metadata } = await api.create('a');
    const list = await api.list({ resourceVersion: metadata.resourceVersion!, resourceVersionMatch: 'NotOlderThan' });
    assert.deepEqual(
      list.items.map((item) => item.metadata.name),
      ['a'],
    );
    assert.ok(BigInt(list.metadata.resourceVersion) >= BigInt(metadata.resourceVersion!));
  },
  'a version that is no number is refused': async (api) => {
    await refused(api.list({ resourceVersion: 'new' }), 400, 'BadRequest');
  },
  'how to match a version needs a version': async (api) => {
    const error = await refused(api.list({ resourceVersionMatch: 'Exact' }), 422, 'Invalid');
    assert.deepEqual(fieldsOf(error), ['resourceVersionMatch']);
  },
  'a version of the future is not waited for long': async (api) => {
    const error: ApiError = await refused(api.list({ resourceVersion: '999999999' }), 504, 'Timeout');
    assert.deepEqual(
      error.causes.map(({ reason }) => reason),
      ['ResourceVersionTooLarge'],
    );
    assert.equal(error.retryAfterMs, 1000);
  },
  'labels select': async (api) => {
    await api.create('a', { size: 1 }, { labels: { tier: 'web', env: 'test' } });
    await api.create('b', { size: 1 }, { labels: { tier: 'db' } });
    await api.create('c');
    const cases: Record<string, string[]> = {
      'tier=web': ['a'],
      'tier==web': ['a'],
      'tier!=web': ['b', 'c'],
      'tier in (web,db)': ['a', 'b'],
      'tier notin (web)': ['b', 'c'],
      tier: ['a', 'b'],
      '!tier': ['c'],
      'tier in (web, db),!env': ['b'],
      'tier=web,env=prod': [],
    };
    for (const [labelSelector, want] of Object.entries(cases))
      assert.deepEqual(await api.names({ labelSelector }), want, labelSelector);
  },
  'a label selector that makes no sense is refused': async (api) => {
    await refused(api.list({ labelSelector: 'tier in web' }), 400, 'BadRequest');
  },
  'names and namespaces select': async (api) => {
    await createAll(api, 'a', 'b');
    assert.deepEqual(await api.names({ fieldSelector: 'metadata.name=a' }), ['a']);
    assert.deepEqual(await api.names({ fieldSelector: `metadata.name!=a,metadata.namespace=${api.namespace}` }), ['b']);
    const everywhere = await api.widgets.list({}, { fieldSelector: `metadata.namespace=${api.namespace}` });
    assert.deepEqual(
      everywhere.items.map(({ metadata }) => metadata.name),
      ['a', 'b'],
    );
  },
  'fields declared selectable select': async (api) => {
    await api.create('a', { size: 1, color: 'red' });
    await api.create('b', { size: 1, color: 'blue' });
    await api.create('c');
    assert.deepEqual(await api.names({ fieldSelector: 'spec.color=red' }), ['a']);
    assert.deepEqual(await api.names({ fieldSelector: 'spec.color!=red' }), ['b', 'c']);
  },
  'other fields do not select': async (api) => {
    await refused(api.list({ fieldSelector: 'spec.size=1' }), 400, 'BadRequest');
  },
  'metadata can be had alone': async (api) => {
    const { metadata } = await api.create('a', { size: 1 }, { labels: { x: 'y' } });
    const one = await api.connection.request<object>({ method: 'GET', path: api.path('a'), accept: partial });
    assert.deepEqual(one, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
    const all = await api.connection.request<{ kind: string; items: object[] }>({
      method: 'GET',
      path: api.path(),
      accept: partialList,
    });
    assert.deepEqual([all.kind, all.items], ['PartialObjectMetadataList', [one]]);
  },
};
