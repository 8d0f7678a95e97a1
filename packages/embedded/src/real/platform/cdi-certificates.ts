import { generateKeyPairSync } from 'node:crypto';
import type { KubeObject } from '@terrain/runtime';
import { Authority, type KeyPair } from '#certificate/authority.ts';

/** The keys CDI's parts know each other by: what its operator would make and renew. */
export interface CdiCertificates {
  /** Secrets and ConfigMaps, under the names that CDI's Deployments mount. */
  readonly objects: readonly KubeObject[];
  /** Whom the API server trusts to be CDI's webhook, in PEM. */
  readonly webhookAuthority: string;
}

/** Anew at each start, so they never expire; nothing that is kept was signed with them. */
export function cdiCertificates(namespace: string, now = new Date()): CdiCertificates {
  const [webhook, uploadServer, uploadClient] = [
    'cdi-apiserver-signer',
    'cdi-uploadserver-signer',
    'cdi-uploadserver-client-signer',
  ].map((name) => ({ name, authority: Authority.create(name, now) })) as [Signer, Signer, Signer];
  const server = webhook.authority.issue(
    { commonName: 'cdi-api' },
    { usage: 'server', names: ['cdi-api', `cdi-api.${namespace}`, `cdi-api.${namespace}.svc`] },
    now,
  );
  const client = uploadClient.authority.issue({ commonName: 'client.upload-server.cdi.kubevirt.io' }, { usage: 'client' }, now);
  return {
    objects: [
      ...[webhook, uploadServer, uploadClient].flatMap(({ name, authority }) => [
        tlsSecret(namespace, name, authority.pair),
        bundle(namespace, `${name}-bundle`, authority.pair.cert),
      ]),
      tlsSecret(namespace, 'cdi-apiserver-server-cert', server),
      tlsSecret(namespace, 'cdi-uploadserver-client-cert', client),
    ],
    webhookAuthority: webhook.authority.pair.cert,
  };
}

interface Signer {
  readonly name: string;
  readonly authority: Authority;
}

/**
 * The key that CDI signs permissions to clone with. Made once: it signs what is kept in objects. CDI would make it itself, but
 * its controller would have to wait for that.
 */
export function signingKey(namespace: string): KubeObject {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return secret(namespace, 'cdi-api-signing-key', 'Opaque', { id_rsa: privateKey, 'id_rsa.pub': publicKey });
}

function tlsSecret(namespace: string, name: string, pair: KeyPair): KubeObject {
  return secret(namespace, name, 'kubernetes.io/tls', { 'tls.crt': pair.cert, 'tls.key': pair.key });
}

function secret(namespace: string, name: string, type: string, stringData: Readonly<Record<string, string>>): KubeObject {
  const data = Object.fromEntries(Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, data };
  return object;
}

function bundle(namespace: string, name: string, certificate: string): KubeObject {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { 'ca-bundle.crt': certificate } };
  return object;
}
