import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorWritesBetween, parseWrites } from './writes.ts';

const line = (verb: string, group: string, resource: string, code: number, count: number, subresource = ''): string =>
  `apiserver_request_total{code="${code}",component="apiserver",dry_run="",group="${group}",resource="${resource}",scope="resource",subresource="${subresource}",verb="${verb}",version="v1"} ${count}`;

test('writes of the operator are told from those of others under the same names', () => {
  const before = parseWrites(line('POST', 'kubevirt.io', 'virtualmachines', 201, 2));
  const after = parseWrites(
    [
      line('POST', 'kubevirt.io', 'virtualmachines', 201, 5),
      line('POST', 'pelotech.ot', 'virtualmachines', 201, 5),
      line('APPLY', 'pelotech.ot', 'virtualmachines', 200, 4, 'status'),
      line('APPLY', 'pelotech.ot', 'virtualmachines', 409, 9, 'status'),
      line('PATCH', 'kubevirt.io', 'virtualmachines', 200, 9, 'status'),
      line('GET', '', 'secrets', 200, 9),
      line('POST', '', 'secrets', 201, 3),
    ].join('\n'),
  );
  assert.deepEqual(
    [...operatorWritesBetween(before, after)],
    [
      ['POST kubevirt.io virtualmachines', 3],
      ['APPLY pelotech.ot virtualmachines/status', 4],
      ['POST  secrets', 3],
    ],
  );
});
