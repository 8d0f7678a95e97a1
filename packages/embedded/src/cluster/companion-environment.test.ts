import assert from 'node:assert/strict';
import { test } from 'node:test';
import { companionEnvironment } from './companion-environment.ts';

test('a companion finds the embedded cluster and no other, also in a pod', () => {
  const given = {
    PATH: '/bin',
    KUBECONFIG: '/other',
    TERRAIN_KUBECONFIG: '/other',
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
    KUBERNETES_SERVICE_PORT: '443',
  };
  assert.deepEqual(companionEnvironment(given, '/home/pki/operator.kubeconfig'), {
    MALLOC_ARENA_MAX: '1',
    PATH: '/bin',
    KUBECONFIG: '/home/pki/operator.kubeconfig',
  });
});

test('a companion has one heap of the C library, unless somebody asked for more', () => {
  assert.equal(companionEnvironment({}, '/kubeconfig').MALLOC_ARENA_MAX, '1');
  assert.equal(companionEnvironment({ MALLOC_ARENA_MAX: '4' }, '/kubeconfig').MALLOC_ARENA_MAX, '4');
});
