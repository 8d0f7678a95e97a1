import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labWritesBetween } from './writes.ts';

test('writes of the operator are told from those of the controllers of Kubernetes and of the simulator', () => {
  const before = new Map([['POST  namespaces', 5]]);
  const after = new Map([
    ['POST  namespaces', 7],
    ['POST apps deployments', 4],
    ['PUT apps deployments', 9],
    ['PUT apps deployments/status', 9],
    ['APPLY  persistentvolumeclaims', 1],
    ['POST  persistentvolumeclaims', 6],
    ['POST cdi.kubevirt.io datavolumes', 2],
    ['PATCH cdi.kubevirt.io datavolumes/status', 9],
    ['APPLY pelotech.ot workspaces/status', 8],
    ['APPLY pelotech.ot virtualmachines/status', 3],
    ['POST pelotech.ot workspaces', 9],
    ['POST events.k8s.io events', 1],
    ['POST  pods', 9],
  ]);
  assert.deepEqual(labWritesBetween(before, after), { children: 2 + 4 + 1 + 4 + 2, status: 11, others: 1 });
});
