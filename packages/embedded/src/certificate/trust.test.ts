/** Whom the runtime's connection trusts, with certificates as a control plane of ours has them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Connection, type Credentials } from '@terrain/runtime';
import { Authority } from './authority.ts';

const now = new Date();
const authority = Authority.create('ours', now);
const ca = authority.pair.cert;

/** What a server with these names answers whoever comes with these credentials: the name it was called by, and who called. */
async function ask(t: TestContext, names: readonly string[], credentials: Partial<Credentials>): Promise<unknown> {
  const pair = authority.issue({ commonName: 'server' }, { usage: 'server', names }, now);
  const server = createServer({ ...pair, ca, requestCert: true, rejectUnauthorized: false }, ({ socket }, response) => {
    const { servername, authorized } = socket as TLSSocket & { servername: string | false };
    const caller = authorized ? (socket as TLSSocket).getPeerCertificate().subject.CN : 'nobody';
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ servername, caller }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = new Connection({ server: `https://localhost:${port}`, ...credentials, ...at(credentials, port) });
  t.after(async () => {
    await connection.close();
    server.close();
  });
  return connection.request({ method: 'GET', path: '/' });
}

const at = ({ server }: Partial<Credentials>, port: number): { server: string } | undefined =>
  server === undefined ? undefined : { server: `${server}:${port}` };

test('a server of our authority is trusted under its name, and told that name', async (t) => {
  assert.deepEqual(await ask(t, ['localhost'], { ca }), { servername: 'localhost', caller: 'nobody' });
});

test('it learns who calls by his certificate', async (t) => {
  const jane = authority.issue({ commonName: 'jane' }, { usage: 'client' }, now);
  assert.deepEqual(await ask(t, ['localhost'], { ca, ...jane }), { servername: 'localhost', caller: 'jane' });
});

test('another authority is not trusted, unless nobody need prove anything', async (t) => {
  const stranger = Authority.create('theirs', now).pair.cert;
  await assert.rejects(ask(t, ['localhost'], { ca: stranger }), { name: 'NoAnswerError', message: /GET \/: .*certificate/ });
  assert.deepEqual(await ask(t, ['localhost'], { insecureSkipTlsVerify: true }), { servername: 'localhost', caller: 'nobody' });
});

test('a server of another name is refused, unless that is the name it is to be called by', async (t) => {
  const message = /GET \/: Hostname\/IP does not match certificate's altnames: Host: localhost/;
  await assert.rejects(ask(t, ['api.example'], { ca }), { name: 'NoAnswerError', message });
  const called = await ask(t, ['api.example'], { ca, tlsServerName: 'api.example' });
  assert.deepEqual(called, { servername: 'api.example', caller: 'nobody' });
});

test('an address is checked as one, and no name is told', async (t) => {
  const server = 'https://127.0.0.1';
  assert.deepEqual(await ask(t, ['127.0.0.1'], { ca, server }), { servername: false, caller: 'nobody' });
  await assert.rejects(ask(t, ['127.0.0.2'], { ca, server }), /IP: 127\.0\.0\.1 is not in the cert's list/);
});
