import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiServerArguments, controllerManagerArguments, etcdArguments, schedulerArguments } from './arguments.ts';

const apiServer = { port: 6443, pki: '/pki', etcd: 'unix://etcd/client:1' };
const all = [
  ...etcdArguments({ throwAway: false }),
  ...apiServerArguments({ ...apiServer, throwAway: false }),
  ...controllerManagerArguments({ kubeconfig: '/k', pki: '/pki' }),
  ...schedulerArguments({ kubeconfig: '/k' }),
];

test('nothing listens on an address that other machines can reach', () => {
  const listening = all.filter((argument) => /^--(bind-address|listen-|secure-port|insecure|port)/.test(argument));
  assert.deepEqual(listening, [
    '--listen-client-urls=unix://client:1',
    '--listen-peer-urls=unix://peer:1',
    '--bind-address=127.0.0.1',
    '--secure-port=6443',
    '--secure-port=0',
    '--secure-port=0',
  ]);
});

test('data that is to be kept is synced to disk, data to be thrown away is not', () => {
  assert.ok(!etcdArguments({ throwAway: false }).includes('--unsafe-no-fsync'));
  assert.ok(etcdArguments({ throwAway: true }).includes('--unsafe-no-fsync'));
});

test('a throw-away API server does not write its own address again and again', () => {
  assert.ok(apiServerArguments({ ...apiServer, throwAway: true }).includes('--endpoint-reconciler-type=none'));
  assert.ok(!apiServerArguments({ ...apiServer, throwAway: false }).includes('--endpoint-reconciler-type=none'));
});

test('rights are checked', () => {
  assert.ok(all.includes('--authorization-mode=Node,RBAC'));
  assert.ok(!all.some((argument) => argument.includes('AlwaysAllow') || argument === '--anonymous-auth=true'));
});
