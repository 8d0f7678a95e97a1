import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { cdiCertificates, signingKey } from './cdi-certificates.ts';

interface Data extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}
const decoded = (object: Data | undefined, key: string): string => Buffer.from(object?.data[key] ?? '', 'base64').toString();

test('the webhook is who the API server asks for, signed by the authority it is told to trust', () => {
  const { objects, webhookAuthority } = cdiCertificates('cdi');
  const find = (name: string) => objects.find(({ metadata }) => metadata.name === name) as Data | undefined;
  const server = new X509Certificate(decoded(find('cdi-apiserver-server-cert'), 'tls.crt'));
  assert.ok(server.checkIssued(new X509Certificate(webhookAuthority)));
  assert.equal(server.checkHost('cdi-api.cdi.svc'), 'cdi-api.cdi.svc');
  assert.ok(server.checkPrivateKey(createPrivateKey(decoded(find('cdi-apiserver-server-cert'), 'tls.key'))));
  assert.equal(find('cdi-apiserver-signer-bundle')?.data['ca-bundle.crt'], webhookAuthority);
  assert.deepEqual(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`).sort(), [
    'ConfigMap cdi/cdi-apiserver-signer-bundle',
    'ConfigMap cdi/cdi-uploadserver-client-signer-bundle',
    'ConfigMap cdi/cdi-uploadserver-signer-bundle',
    'Secret cdi/cdi-apiserver-server-cert',
    'Secret cdi/cdi-apiserver-signer',
    'Secret cdi/cdi-uploadserver-client-cert',
    'Secret cdi/cdi-uploadserver-client-signer',
    'Secret cdi/cdi-uploadserver-signer',
  ]);
});

test('the two halves of the signing key belong together', () => {
  const object = signingKey('cdi') as Data;
  const whole = createPublicKey(decoded(object, 'id_rsa')).export({ type: 'spki', format: 'pem' });
  assert.equal(decoded(object, 'id_rsa.pub'), whole);
});
