import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { testCluster } from '@terrain/embedded/testing';
import { isNotFound } from '@terrain/runtime';
import { until } from '#process/until.ts';

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Record<string, string>;
}

test('all callers of one process share one cluster', async () => {
  assert.equal(await testCluster(), await testCluster());
});

test('the administrator may do everything, a stranger nothing', async () => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace('rights');
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'value' } };
  assert.equal((await cluster.connection().request<ConfigMap>({ method: 'POST', path, body })).data?.key, 'value');
  await assert.rejects(cluster.connectionAs('mallory', ['strangers']).request({ method: 'GET', path }), {
    code: 403,
    message: /User "mallory" cannot list resource "configmaps"/,
  });
});

test('data outlives a crash of the API server', async () => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace('crash');
  await cluster.restartApiServer('SIGKILL');
  const found = await cluster.kubectl('get', 'namespace', namespace, '-o', 'name');
  assert.deepEqual(found, { code: 0, stdout: `namespace/${namespace}\n`, stderr: '' });
});

test('pods are admitted in a fresh namespace', async () => {
  const cluster = await testCluster();
  const namespace = await cluster.namespace('pods');
  const spec = { containers: [{ name: 'main', image: 'none' }] };
  await cluster.connection().request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec },
  });
});

test('asked for by several at once, a controller-manager is started once', async () => {
  const [cluster] = await Promise.all([1, 2, 3].map(() => testCluster({ controllerManager: true })));
  assert.equal(cluster!.pids.length, 3);
});

test('with a controller-manager a deleted namespace goes away', async () => {
  const cluster = await testCluster({ controllerManager: true });
  const namespace = await cluster.namespace('short');
  const result = await cluster.kubectl('delete', 'namespace', namespace, '--wait=true', '--timeout=60s');
  assert.equal(result.code, 0, result.stderr);
  await assert.rejects(cluster.connection().request({ method: 'GET', path: `/api/v1/namespaces/${namespace}` }), (error) =>
    isNotFound(error),
  );
});

test('nothing outlives a test process that is killed', { timeout: 120_000 }, async () => {
  const script = `
    import { testCluster } from '@terrain/embedded/testing';
    const cluster = await testCluster();
    console.log(JSON.stringify({ directory: cluster.directory, pids: cluster.pids }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (data: Buffer) => resolve(data.toString())));
  const { directory, pids } = JSON.parse(line) as { directory: string; pids: number[] };
  assert.equal(pids.length, 2);
  assert.ok(pids.every(isRunning));
  assert.ok(existsSync(directory));
  child.kill('SIGKILL');
  await until('the end of etcd and the API server', async () => (pids.some(isRunning) ? undefined : true), { timeoutMs: 10_000 });
});

/** A zombie that nobody has reaped yet no longer runs. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
