import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign, verify, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer, type PeerCertificate } from 'node:tls';
import { Authority, type KeyPair, signingKeys } from './authority.ts';

const now = new Date('2026-03-01T12:00:00Z');

test('an authority may sign certificates and nothing else', () => {
  const certificate = new X509Certificate(Authority.create('test', now).pair.cert);
  assert.equal(certificate.ca, true);
  assert.equal(certificate.subject, 'CN=test');
  assert.ok(certificate.verify(certificate.publicKey));
});

test('a client certificate carries user and groups, and is signed by its authority', () => {
  const authority = Authority.create('test', now);
  const pair = authority.issue({ commonName: 'jane', organizations: ['teachers', 'staff'] }, { usage: 'client' }, now);
  const certificate = new X509Certificate(pair.cert);
  const issuer = new X509Certificate(authority.pair.cert);
  assert.equal(certificate.subject, 'O=teachers\nO=staff\nCN=jane');
  assert.equal(certificate.ca, false);
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2']);
  assert.equal(certificate.subjectAltName, undefined);
  assert.ok(certificate.checkIssued(issuer));
  assert.ok(certificate.verify(issuer.publicKey));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(pair.key)));
  assert.equal(certificate.verify(new X509Certificate(Authority.create('test', now).pair.cert).publicKey), false);
});

test('a certificate is valid from an hour ago for five years', () => {
  const pair = Authority.create('test', now).issue({ commonName: 'jane' }, { usage: 'client' }, now);
  const certificate = new X509Certificate(pair.cert);
  assert.equal(certificate.validFromDate.toISOString(), '2026-03-01T11:00:00.000Z');
  assert.equal(certificate.validToDate.toISOString(), '2031-02-28T12:00:00.000Z');
});

test('two certificates of one subject have different serial numbers', () => {
  const authority = Authority.create('test', now);
  const serials = [1, 2].map(
    () => new X509Certificate(authority.issue({ commonName: 'jane' }, { usage: 'client' }, now).cert).serialNumber,
  );
  assert.notEqual(serials[0], serials[1]);
});

test('a server certificate names its hosts and addresses', () => {
  const pair = Authority.create('test', now).issue(
    { commonName: 's' },
    { usage: 'server', names: ['localhost', '127.0.0.1'] },
    now,
  );
  assert.equal(new X509Certificate(pair.cert).subjectAltName, 'DNS:localhost, IP Address:127.0.0.1');
});

test('an IPv6 address is refused with a sentence', () => {
  assert.throws(
    () => Authority.create('test', now).issue({ commonName: 's' }, { usage: 'server', names: ['::1'] }, now),
    /IPv6 address ::1/,
  );
});

test('an authority loaded from its files signs like the one that wrote them', () => {
  const original = Authority.create('test', now);
  const pair = Authority.load(original.pair).issue({ commonName: 'jane' }, { usage: 'client' }, now);
  assert.ok(new X509Certificate(pair.cert).checkIssued(new X509Certificate(original.pair.cert)));
});

test('halves of two authorities are not taken for one', () => {
  const mixed: KeyPair = { cert: Authority.create('a', now).pair.cert, key: Authority.create('b', now).pair.key };
  assert.throws(() => Authority.load(mixed), /do not belong together/);
});

test('signing keys verify what they sign', () => {
  const { publicKey, privateKey } = signingKeys();
  const message = Buffer.from('token');
  assert.ok(verify('sha256', message, createPublicKey(publicKey), sign('sha256', message, createPrivateKey(privateKey))));
});

test('both sides of a TLS handshake accept each other, and a stranger is refused', async () => {
  const authority = Authority.create('test', new Date());
  const server = authority.issue({ commonName: 'server' }, { usage: 'server', names: ['localhost', '127.0.0.1'] }, new Date());
  const jane = authority.issue({ commonName: 'jane' }, { usage: 'client' }, new Date());
  const stranger = Authority.create('test', new Date()).issue({ commonName: 'eve' }, { usage: 'client' }, new Date());
  assert.equal((await handshake(authority, server, jane)).subject?.CN, 'jane');
  await assert.rejects(handshake(authority, server, stranger), { code: 'ECONNRESET' });
});

/** The server's view of a client that presents `client`; rejects when the server hangs up on it. */
async function handshake(authority: Authority, server: KeyPair, client: KeyPair): Promise<Partial<PeerCertificate>> {
  const listener = createServer({ ...server, ca: authority.pair.cert, requestCert: true, rejectUnauthorized: true });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const accepted = new Promise<Partial<PeerCertificate>>((resolve, reject) => {
      listener.once('secureConnection', (socket) => {
        resolve(socket.getPeerCertificate());
        socket.end();
      });
      listener.once('tlsClientError', reject);
    });
    const { port } = listener.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', ca: authority.pair.cert, ...client });
    socket.on('error', () => {}); // the server's reason is the one under test
    socket.resume();
    return await accepted.finally(() => socket.destroy());
  } finally {
    listener.close();
  }
}
