import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const config = (user: string, cluster = '', context = 'main'): string => `
apiVersion: v1
kind: Config
current-context: ${context}
clusters:
- name: here
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: ${base64('the authority')}
${cluster}
contexts:
- name: main
  context: { cluster: here, user: me }
- name: other
  context: { cluster: here, user: nobody }
users:
- name: me
  user:
${user}
- name: nobody
  user: {}
`;

async function inDirectory<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'terrain-credentials-'));
  try {
    return await run(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('a kubeconfig with a client certificate gives text, not paths', async () => {
  await inDirectory(async (directory) => {
    const file = join(directory, 'config');
    await writeFile(join(directory, 'key'), 'the key');
    await writeFile(
      file,
      config(`    client-certificate-data: ${base64('the cert')}\n    client-key: ${join(directory, 'key')}`),
    );
    assert.deepEqual(await loadKubeconfig({ file }), {
      server: 'https://127.0.0.1:6443',
      ca: 'the authority',
      cert: 'the cert',
      key: 'the key',
    });
  });
});

test('token, server name, proxy and impersonation are taken over', async () => {
  await inDirectory(async (directory) => {
    const file = join(directory, 'config');
    await writeFile(
      file,
      config('    token: secret\n    as: eva', '    tls-server-name: api\n    proxy-url: http://127.0.0.1:3128'),
    );
    const { token, ...rest } = await loadKubeconfig({ file });
    assert.deepEqual(rest, {
      server: 'https://127.0.0.1:6443',
      ca: 'the authority',
      tlsServerName: 'api',
      proxyUrl: 'http://127.0.0.1:3128',
      impersonate: { user: 'eva' },
    });
    assert.equal(typeof token === 'function' ? await token() : token, 'secret');
  });
});

test('another context can be chosen; one that does not exist is named in the error', async () => {
  await inDirectory(async (directory) => {
    const file = join(directory, 'config');
    await writeFile(file, config('    token: secret'));
    assert.equal((await loadKubeconfig({ file, context: 'other' })).token, undefined);
    await assert.rejects(loadKubeconfig({ file, context: 'none' }), /has no usable current context; choose one with/);
  });
});

test('inside a pod the service account is read, its token each time anew', async () => {
  await inDirectory(async (directory) => {
    await writeFile(join(directory, 'ca.crt'), 'the authority');
    await writeFile(join(directory, 'token'), 'first\n');
    const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const credentials = await loadInCluster(environment, directory);
    assert.equal(credentials?.server, 'https://[fd00::1]:443');
    assert.equal(credentials?.ca, 'the authority');
    const token = credentials?.token as () => Promise<string>;
    assert.equal(await token(), 'first');
    await writeFile(join(directory, 'token'), 'second\n');
    assert.equal(await token(), 'second');
  });
});

test('outside a pod there is no service account', async () => {
  assert.equal(await loadInCluster({}), undefined);
});
