import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Credentials } from './credentials.ts';
import { loadInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { readPlainKubeconfig } from './plain-kubeconfig.ts';

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

const plainFiles: Record<string, [user: string, cluster?: string]> = {
  'a token': ['    token: secret'],
  'certificates in place': [`    client-certificate-data: ${base64('c')}\n    client-key-data: ${base64('k')}`],
  'certificates in files beside it': ['    client-certificate: cert.pem\n    client-key: key.pem'],
  'a server that need not prove itself': ['    token: t', '    insecure-skip-tls-verify: true'],
  'somebody to act as': ['    token: t\n    as: eva'],
};
for (const [what, [user, cluster = '']] of Object.entries(plainFiles)) {
  test(`${what}: read without the full loader, and the same`, async () => {
    await inDirectory(async (directory) => {
      const file = join(directory, 'config');
      await writeFile(join(directory, 'cert.pem'), 'the cert');
      await writeFile(join(directory, 'key.pem'), 'the key');
      const text = config(user, cluster);
      await writeFile(file, text);
      const full = join(directory, 'full');
      // An extension means nothing, but is none of the fields the short way knows.
      await writeFile(full, text.replace('  user:\n', '  user:\n    tokenFile: ""\n'));
      const [short, long] = [await readPlainKubeconfig(file), await loadKubeconfig({ file: full })];
      assert.deepEqual(await withTokenText(short!), await withTokenText(long));
    });
  });
}

test('text in place wins over a file, as kubectl has it', async () => {
  await inDirectory(async (directory) => {
    const file = join(directory, 'config');
    await writeFile(file, config(`    client-certificate-data: ${base64('c')}\n    client-certificate: nowhere`));
    assert.equal((await loadKubeconfig({ file })).cert, 'c');
  });
});

test('a file with more to it than certificates and tokens is left to the full loader', async () => {
  await inDirectory(async (directory) => {
    const file = join(directory, 'config');
    for (const user of [
      '    exec: { apiVersion: client.authentication.k8s.io/v1, command: x }',
      '    username: a',
      '    as-groups: [a]',
    ]) {
      await writeFile(file, config(user));
      assert.equal(await readPlainKubeconfig(file), undefined, user);
    }
    await writeFile(file, config('    token: t'));
    assert.equal(await readPlainKubeconfig(file, 'absent'), undefined);
    await writeFile(file, 'not: [a kubeconfig');
    assert.equal(await readPlainKubeconfig(file), undefined);
    assert.equal(await readPlainKubeconfig(join(directory, 'absent')), undefined);
  });
});

async function withTokenText({ token, ...rest }: Credentials): Promise<Credentials> {
  return { ...rest, ...(token === undefined ? {} : { token: typeof token === 'function' ? await token() : token }) };
}
