import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { cdiObjects, cdiSettings } from './cdi-objects.ts';

const container = { name: 'cdi', image: 'i', readinessProbe: { exec: { command: ['cat', '/tmp/ready'] } } };
const printed = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'cdi-sa', creationTimestamp: null } },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1beta1.upload.cdi.kubevirt.io' } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'cdi-deployment', creationTimestamp: null },
    spec: {
      strategy: {},
      template: { metadata: { creationTimestamp: null, annotations: { kept: 'yes' } }, spec: { containers: [container] } },
    },
    status: {},
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'cdi-api-datavolume-validate' },
    webhooks: [{ name: 'w', clientConfig: { service: { name: 'cdi-api' } } }],
  },
] as unknown as readonly KubeObject[];

test('uploads are left out, webhooks wait and trust our authority, what only the server sets is not sent', () => {
  const { installed, webhooks } = cdiObjects(printed, 'authority');
  assert.deepEqual(
    installed.map(({ kind }) => kind),
    ['ServiceAccount', 'Deployment'],
  );
  assert.deepEqual(installed[0]?.metadata, { name: 'cdi-sa' });
  const [configuration] = webhooks as unknown as readonly { readonly webhooks: readonly object[] }[];
  assert.equal(webhooks.length, 1);
  assert.deepEqual(configuration?.webhooks, [
    { name: 'w', clientConfig: { service: { name: 'cdi-api' }, caBundle: Buffer.from('authority').toString('base64') } },
  ]);
  assert.ok(!JSON.stringify([...installed, ...webhooks]).includes('creationTimestamp'));
});

test('a Deployment needs no shell in its image, and is rolled when its certificate is another', () => {
  const deployment = (authority: string) =>
    cdiObjects(printed, authority).installed[1] as unknown as {
      status?: unknown;
      spec: {
        strategy: object;
        template: { metadata: { annotations: Record<string, string> }; spec: { containers: readonly object[] } };
      };
    };
  const { spec, status } = deployment('one');
  assert.equal(status, undefined);
  assert.deepEqual(spec.strategy, {});
  assert.deepEqual(spec.template.spec.containers, [
    {
      name: 'cdi',
      image: 'i',
      readinessProbe: { httpGet: { scheme: 'HTTPS', port: 8443, path: '/metrics' }, periodSeconds: 2 },
    },
  ]);
  assert.equal(spec.template.metadata.annotations.kept, 'yes');
  assert.deepEqual(deployment('one'), deployment('one'));
  assert.notDeepEqual(deployment('one').spec.template.metadata, deployment('two').spec.template.metadata);
});

test('registries without TLS are named to CDI', () => {
  const { spec } = cdiSettings(['registry:5000']) as unknown as { spec: { config: { insecureRegistries: readonly string[] } } };
  assert.deepEqual(spec.config.insecureRegistries, ['registry:5000']);
});
