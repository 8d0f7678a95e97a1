import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CredentialSource, credentialSource } from './credentials.ts';

const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

const cases: Record<string, { given: Record<string, string>; want: CredentialSource }> = {
  'nobody named a cluster': { given: pod, want: { from: 'pod' } },
  'a kubeconfig wins over the account of the pod': { given: { ...pod, KUBECONFIG: '/k' }, want: { from: 'kubeconfig' } },
  'ours wins over that of other programs': {
    given: { ...pod, KUBECONFIG: '/k', TERRAIN_KUBECONFIG: '/t' },
    want: { from: 'file', file: '/t' },
  },
  'empty is not named': { given: { ...pod, KUBECONFIG: '', TERRAIN_KUBECONFIG: '' }, want: { from: 'pod' } },
};

for (const [name, { given, want }] of Object.entries(cases)) test(name, () => assert.deepEqual(credentialSource(given), want));
