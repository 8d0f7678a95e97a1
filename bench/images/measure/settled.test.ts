import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchedKinds } from './settled.ts';

test('what is watched is read from the metrics, and what is watched no more is not', () => {
  const line = (resource: string, verb: string, value: number): string =>
    `apiserver_longrunning_requests{component="apiserver",group="pelotech.ot",resource="${resource}",scope="cluster",subresource="",verb="${verb}",version="v1alpha1"} ${value}`;
  const metrics = [line('workspaces', 'WATCH', 1), line('datasyncs', 'WATCH', 0), line('virtualmachines', 'CONNECT', 1)].join(
    '\n',
  );
  assert.deepEqual([...watchedKinds(metrics)], ['pelotech.ot/workspaces']);
});
