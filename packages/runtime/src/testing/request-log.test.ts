import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseApiCall } from './api-call.ts';
import { type CallMatch, matchesCall, RequestLog } from './request-log.ts';

const patchStatus = parseApiCall('PATCH', '/apis/example.test/v1/namespaces/lab/widgets/a/status?fieldManager=me')!;
const listLeases = parseApiCall('GET', '/apis/coordination.k8s.io/v1/leases')!;

const matches: Record<string, { match: CallMatch; want: boolean }> = {
  everything: { match: {}, want: true },
  'its verb': { match: { verb: 'patch' }, want: true },
  'one of several verbs': { match: { verb: ['create', 'patch'] }, want: true },
  writes: { match: { verb: 'write' }, want: true },
  reads: { match: { verb: 'read' }, want: false },
  'its group': { match: { group: 'example.test' }, want: true },
  'another kind': { match: { resource: 'gadgets' }, want: false },
  'its namespace and name': { match: { namespace: 'lab', name: 'a' }, want: true },
  'another name': { match: { name: 'b' }, want: false },
  'its subresource': { match: { subresource: 'status' }, want: true },
  'the object itself': { match: { subresource: '' }, want: false },
  'all but it': { match: { verb: 'write', not: { resource: 'widgets' } }, want: false },
};
for (const [name, { match, want }] of Object.entries(matches)) {
  test(`a status patch ${want ? 'is' : 'is not'} met by: ${name}`, () => {
    assert.equal(matchesCall(match, patchStatus), want);
  });
}

test('requests and events share one numbering, writes have their own besides', () => {
  const log = new RequestLog();
  log.request(listLeases, 'agent');
  log.request(patchStatus, 'agent');
  log.event({
    watch: 1,
    type: 'ADDED',
    group: '',
    resource: 'leases',
    namespace: undefined,
    name: 'x',
    resourceVersion: '5',
    fault: undefined,
  });
  const last = log.request(patchStatus, 'agent');
  last.code = 200;
  assert.deepEqual(
    log.entries.map((entry) => [entry.number, entry.sort, entry.sort === 'request' ? entry.write : undefined]),
    [
      [1, 'request', undefined],
      [2, 'request', 1],
      [3, 'event', undefined],
      [4, 'request', 2],
    ],
  );
  assert.deepEqual(
    [log.count(), log.count({ verb: 'write' }), log.tally({ group: 'example.test' })],
    [3, 2, { 'patch widgets/status': 2 }],
  );
  assert.deepEqual(
    log.requests.map(({ code, query }) => [code, query]),
    [
      [undefined, ''],
      [undefined, 'fieldManager=me'],
      [200, 'fieldManager=me'],
    ],
  );
  log.clear();
  assert.equal(log.request(patchStatus, 'agent').write, 1);
});
