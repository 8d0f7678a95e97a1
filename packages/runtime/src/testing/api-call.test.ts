import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiCall, isWrite, parseApiCall } from './api-call.ts';

const cases: Record<string, { given: [string, string]; want: Omit<ApiCall, 'query'> | undefined }> = {
  'a list in the core group': {
    given: ['GET', '/api/v1/namespaces/lab/configmaps?limit=5'],
    want: { verb: 'list', group: '', version: 'v1', resource: 'configmaps', namespace: 'lab' },
  },
  'a watch over all namespaces': {
    given: ['GET', '/apis/example.test/v1/widgets?watch=1'],
    want: { verb: 'watch', group: 'example.test', version: 'v1', resource: 'widgets' },
  },
  'an object of a namespaced kind': {
    given: ['DELETE', '/apis/example.test/v1/namespaces/lab/widgets/a'],
    want: { verb: 'delete', group: 'example.test', version: 'v1', resource: 'widgets', namespace: 'lab', name: 'a' },
  },
  'a subresource': {
    given: ['PATCH', '/apis/example.test/v1/namespaces/lab/widgets/a/status'],
    want: {
      verb: 'patch',
      group: 'example.test',
      version: 'v1',
      resource: 'widgets',
      namespace: 'lab',
      name: 'a',
      subresource: 'status',
    },
  },
  'a namespace itself': {
    given: ['GET', '/api/v1/namespaces/lab'],
    want: { verb: 'get', group: '', version: 'v1', resource: 'namespaces', name: 'lab' },
  },
  'the finalize subresource of a namespace': {
    given: ['PUT', '/api/v1/namespaces/lab/finalize'],
    want: { verb: 'update', group: '', version: 'v1', resource: 'namespaces', name: 'lab', subresource: 'finalize' },
  },
  'all of a collection': {
    given: ['DELETE', '/api/v1/namespaces/lab/pods'],
    want: { verb: 'deletecollection', group: '', version: 'v1', resource: 'pods', namespace: 'lab' },
  },
  'an escaped name': {
    given: ['GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode'],
    want: { verb: 'get', group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles', name: 'system:node' },
  },
  health: { given: ['GET', '/readyz'], want: undefined },
  'discovery of a group version': { given: ['GET', '/apis/example.test/v1'], want: undefined },
};

for (const [name, { given, want }] of Object.entries(cases)) {
  test(`a request is read as an API call: ${name}`, () => {
    const call = parseApiCall(...given);
    if (call === undefined || want === undefined) assert.equal(call, want);
    else assert.deepEqual({ ...call, query: undefined }, { ...want, query: undefined });
  });
}

test('writes are told from reads', () => {
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;
  assert.deepEqual(
    verbs.filter((verb) => isWrite({ verb })),
    ['create', 'update', 'patch', 'delete', 'deletecollection'],
  );
});
