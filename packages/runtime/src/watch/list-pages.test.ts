import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest, ApiTransport } from '#transport/api-transport.ts';
import { listPages } from './list-pages.ts';

test('items without kind and apiVersion get those of their list', async () => {
  const pages = [
    {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7', continue: 'next' },
      items: [{ metadata: { name: 'a' } }],
    },
    { metadata: { continue: '' }, items: [{ kind: 'Own', apiVersion: 'x/v1', metadata: { name: 'b' } }] },
  ];
  const asked: unknown[] = [];
  const api = {
    request: async (request: ApiRequest) => {
      asked.push(request.query);
      return pages.shift();
    },
  } as unknown as ApiTransport;
  const signal = new AbortController().signal;
  const { objects, resourceVersion } = await listPages(api, { path: '/pods', query: {}, pageSize: 1, signal });
  assert.deepEqual(objects, [
    { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } },
    { kind: 'Own', apiVersion: 'x/v1', metadata: { name: 'b' } },
  ]);
  assert.equal(resourceVersion, '7', 'that of the first page: the others continue it');
  assert.deepEqual(asked, [
    { limit: 1, continue: undefined },
    { limit: 1, continue: 'next' },
  ]);
});

test('a list of metadata with nothing in it has null for items, and is empty', async () => {
  const api = { request: async () => ({ metadata: { resourceVersion: '7' }, items: null }) } as unknown as ApiTransport;
  const signal = new AbortController().signal;
  assert.deepEqual(await listPages(api, { path: '/pods', query: {}, pageSize: 1, signal }), {
    objects: [],
    resourceVersion: '7',
  });
});

test('an answer without items is no list', async () => {
  const api = { request: async () => ({ metadata: { resourceVersion: '7' } }) } as unknown as ApiTransport;
  const signal = new AbortController().signal;
  await assert.rejects(listPages(api, { path: '/pods', query: {}, pageSize: 1, signal }), {
    message: 'GET /pods: the answer is no list with items and a resource version',
  });
});
