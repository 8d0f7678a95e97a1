import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAnswers, total, writesBetween } from './writes.ts';

const line = (verb: string, resource: string, code: number, count: number, subresource = ''): string =>
  `apiserver_request_total{code="${code}",component="apiserver",dry_run="",group="g",resource="${resource}",scope="resource",subresource="${subresource}",verb="${verb}",version="v1"} ${count}`;

test('accepted writes of the operator are told from refused ones and from those of others', () => {
  const before = parseAnswers(line('PUT', 'configmaps', 200, 5));
  const after = parseAnswers(
    [
      line('PUT', 'configmaps', 200, 8),
      line('PUT', 'configmaps', 409, 2),
      line('APPLY', 'vmdiskimages', 200, 4, 'status'),
      line('POST', 'datavolumes', 201, 3),
      line('POST', 'datavolumes', 403, 1),
      line('PATCH', 'datavolumes', 200, 9, 'status'),
      line('POST', 'vmdiskimages', 201, 7),
    ].join('\n'),
  );
  const writes = writesBetween(before, after);
  assert.deepEqual(
    [...writes.accepted],
    [
      ['PUT configmaps', 3],
      ['PATCH vmdiskimages/status', 4],
      ['POST datavolumes', 3],
    ],
  );
  assert.deepEqual([total(writes), writes.ledgerConflicts, writes.refusedCreates], [10, 2, 1]);
});
