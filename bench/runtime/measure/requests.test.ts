import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestCounts, requestsBetween } from './requests.ts';

const line = (verb: string, resource: string, subresource: string, code: number, count: string): string =>
  `apiserver_request_total{code="${code}",component="apiserver",dry_run="",group="g",resource="${resource}",scope="resource",subresource="${subresource}",verb="${verb}",version="v1"} ${count}`;

test('outcomes are added up, other metrics are not read', () => {
  const metrics = [
    '# TYPE apiserver_request_total counter',
    line('PATCH', 'widgets', 'status', 200, '1.2e+03'),
    line('PATCH', 'widgets', 'status', 409, '3'),
    line('POST', 'configmaps', '', 201, '7'),
    'apiserver_request_terminations_total{code="200",resource="widgets",verb="GET"} 9',
  ].join('\n');
  assert.deepEqual(
    [...parseRequestCounts(metrics)],
    [
      ['PATCH widgets/status', 1203],
      ['POST configmaps', 7],
    ],
  );
});

test('what the bench asks for itself, and what comes per kind, is no request of an object', () => {
  const before = new Map([['PATCH widgets/status', 10]]);
  const after = new Map([
    ['PATCH widgets/status', 14],
    ['POST widgets', 4],
    ['DELETE widgets', 1],
    ['LIST widgets', 2],
    ['WATCH configmaps', 1],
    ['POST configmaps', 4],
    ['GET configmaps', 1],
    ['POST namespaces', 1],
    ['PUT leases', 5],
    ['PATCH widgets', 0],
  ]);
  assert.deepEqual(
    [...requestsBetween(before, after)],
    [
      ['PATCH widgets/status', 4],
      ['POST configmaps', 4],
      ['GET configmaps', 1],
    ],
  );
});
