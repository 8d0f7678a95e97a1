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
    PATH: '/bin',
    KUBECONFIG: '/home/pki/operator.kubeconfig',
  });
});
