import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { credentialsIn, kubeconfigText } from './kubeconfig.ts';
import { administrator, Pki } from './pki.ts';

test('keys are made once and kept, the serving certificate is renewed', async (t) => {
  const directory = join(temporaryDirectory(t), 'pki');
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  const first = await Pki.open(directory);
  const kept = ['ca.crt', 'ca.key', 'sa.key', 'sa.pub'];
  const before = kept.map(read);
  const serving = read('apiserver.crt');
  const client = first.issueClient(administrator);

  const second = await Pki.open(directory);
  assert.deepEqual(kept.map(read), before);
  assert.notEqual(read('apiserver.crt'), serving);
  assert.ok(
    new X509Certificate(client.cert).checkIssued(new X509Certificate(second.authority.pair.cert)),
    'kubeconfig files copied elsewhere stay valid',
  );
  assert.match(new X509Certificate(read('apiserver.crt')).subjectAltName ?? '', /DNS:localhost, IP Address:127\.0\.0\.1/);
});

test('only the owner may read any of it', async (t) => {
  const directory = join(temporaryDirectory(t), 'pki');
  await Pki.open(directory);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  for (const name of readdirSync(directory)) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name);
});

test('what an interrupted first start left is made anew', async (t) => {
  const directory = join(temporaryDirectory(t), 'pki');
  await Pki.open(directory);
  for (const name of ['complete', 'sa.key']) rmSync(join(directory, name));
  await Pki.open(directory);
  assert.ok(readdirSync(directory).includes('sa.key'));
});

test('a kubeconfig file gives back the credentials that went into it', () => {
  const credentials = { server: 'https://127.0.0.1:6443', ca: 'authority\n', cert: 'certificate\n', key: 'key\n' };
  assert.deepEqual(credentialsIn(kubeconfigText(credentials, 'terrain')), credentials);
});
