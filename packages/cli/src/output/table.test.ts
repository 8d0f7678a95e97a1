import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './table.ts';

test('columns are as wide as their widest cell and no line ends in spaces', () => {
  const rows = [
    ['NAME', 'STATE', 'WHY'],
    ['etcd', 'running', ''],
    ['kube-apiserver', 'up', 'x'],
  ];
  assert.equal(table(rows), 'NAME            STATE    WHY\netcd            running\nkube-apiserver  up       x\n');
});
