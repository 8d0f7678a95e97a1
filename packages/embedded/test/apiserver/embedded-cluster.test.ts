import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { clusterCredentials, clusterStatus, type EmbeddedCluster, type ProgressEvent, startCluster } from '@terrain/embedded';
import { Connection, isNotFound } from '@terrain/runtime';
import { freePort } from '#process/port.ts';
import { isRunning } from '#process/process-facts.ts';
import { until } from '#process/until.ts';
import { homeDirectory } from './home-directory.ts';
import { listeningSockets } from './listening-sockets.ts';

const { home, remove } = homeDirectory();
const configMaps = '/api/v1/namespaces/default/configmaps';
const events: ProgressEvent[] = [];
let cluster: EmbeddedCluster;

before(
  async () => {
    // A port that nobody would choose for it, so that it is seen to be kept.
    cluster = await startCluster({ home, nodes: 2, port: await freePort(), progress: (event) => events.push(event) });
  },
  { timeout: 180_000 },
);

after(async () => {
  await cluster.stop();
  remove();
});

test('when start returns everything is ready', async () => {
  const connection = cluster.connection();
  await connection.request({ method: 'GET', path: '/readyz' });
  await connection.request({ method: 'GET', path: '/api/v1/namespaces/default/serviceaccounts/default' });
  await connection.request({ method: 'GET', path: '/apis/kubevirt.io/v1/virtualmachines' });
  const nodes = await connection.request<{
    items: { metadata: { name: string }; status: { conditions: { type: string; status: string }[] } }[];
  }>({
    method: 'GET',
    path: '/api/v1/nodes',
  });
  const ready = nodes.items.map(({ metadata, status }) => [
    metadata.name,
    status.conditions.find(({ type }) => type === 'Ready')?.status,
  ]);
  assert.deepEqual(ready, [
    ['simulated-1', 'True'],
    ['simulated-2', 'True'],
  ]);
});

test('each task was told to start and to finish', () => {
  for (const task of ['control-plane', 'controllers', 'definitions', 'nodes']) {
    const types = events.filter((event) => event.task === task && event.type !== 'advanced').map(({ type }) => type);
    assert.deepEqual(types, ['started', 'finished'], task);
  }
});

test('its status can be seen from outside', async () => {
  const { processes, ...status } = await clusterStatus(home);
  assert.deepEqual(status, {
    home,
    state: 'running',
    problem: undefined,
    pid: process.pid,
    port: cluster.port,
    kubeconfig: join(home, 'kubeconfig'),
    kubernetes: '1.36.3',
  });
  const names = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'];
  assert.deepEqual(processes.map(({ name }) => name).sort(), names);
  assert.ok(processes.every(({ residentBytes }) => (residentBytes ?? 0) > 1e7));
});

test('keys and kubeconfig are for their owner only, and the kubeconfig works', async () => {
  for (const [file, mode] of Object.entries({
    kubeconfig: 0o600,
    'pki/ca.key': 0o600,
    pki: 0o700,
    etcd: 0o700,
    logs: 0o700,
    '': 0o700,
  })) {
    assert.equal(statSync(join(home, file)).mode & 0o777, mode, file);
  }
  await using connection = new Connection(await clusterCredentials(home));
  await connection.request({ method: 'GET', path: '/api/v1/nodes' });
});

test('everything listens on loopback only', () => {
  const sockets = cluster.processes().flatMap(({ name, pid }) => listeningSockets(pid).map((socket) => ({ name, ...socket })));
  const isApiServer = ({ name, port }: (typeof sockets)[number]) => name === 'kube-apiserver' && port === cluster.port;
  assert.ok(sockets.some(isApiServer), `the API server is not among ${JSON.stringify(sockets)}`);
  assert.deepEqual(
    sockets.filter(({ address }) => address !== '127.0.0.1' && address !== '::1'),
    [],
  );
});

test('pods are scheduled on the simulated nodes and become ready', { timeout: 60_000 }, async () => {
  const spec = { containers: [{ name: 'main', image: 'none' }] };
  const path = '/api/v1/namespaces/default/pods';
  await cluster
    .connection()
    .request({ method: 'POST', path, body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod' }, spec } });
  const nodeName = await until(
    'the pod’s readiness',
    async () => {
      const pod = await cluster
        .connection()
        .request<{ spec: { nodeName?: string }; status: { phase: string } }>({ method: 'GET', path: `${path}/pod` });
      return pod.status.phase === 'Running' ? pod.spec.nodeName : undefined;
    },
    { timeoutMs: 30_000 },
  );
  assert.match(nodeName, /^simulated-[12]$/);
  await cluster.connection().request({ method: 'DELETE', path: `${path}/pod` });
});

test('a second start in the same home is refused by the pid of the first', async () => {
  await assert.rejects(startCluster({ home }), {
    code: 'HomeInUse',
    message: new RegExp(
      `^A cluster already runs in ${home} \\(process ${process.pid}\\): stop it with \`terrain down --home ${home}\``,
    ),
  });
  assert.equal((await clusterStatus(home)).state, 'running');
});

test('a second home at the same time has its own port and its own objects', { timeout: 120_000 }, async (t) => {
  const second = homeDirectory();
  t.after(second.remove);
  const other = await startCluster({ home: second.home, nodes: 0 });
  try {
    assert.notEqual(other.port, cluster.port);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'only-there' } };
    await other.connection().request({ method: 'POST', path: configMaps, body });
    await assert.rejects(cluster.connection().request({ method: 'GET', path: `${configMaps}/only-there` }), (error) =>
      isNotFound(error),
    );
    assert.deepEqual(
      (await other.connection().request<{ items: unknown[] }>({ method: 'GET', path: '/api/v1/nodes' })).items,
      [],
    );
  } finally {
    await other.stop();
  }
  assert.equal((await clusterStatus(second.home)).state, 'stopped');
});

test('a stopped cluster leaves nothing running and comes back with its data, port and keys', { timeout: 120_000 }, async () => {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { key: 'value' } };
  await cluster.connection().request({ method: 'POST', path: configMaps, body });
  const [port, pids, oldCredentials] = [cluster.port, cluster.processes().map(({ pid }) => pid), await clusterCredentials(home)];

  await cluster.stop();
  await cluster.stop();
  assert.deepEqual(pids.filter(isRunning), []);
  assert.equal((await clusterStatus(home)).state, 'stopped');

  cluster = await startCluster({ home, nodes: 1, progress: (event) => events.push(event) });
  assert.equal(cluster.port, port);
  await using connection = new Connection(oldCredentials);
  const found = await connection.request<{ data: object }>({ method: 'GET', path: `${configMaps}/kept` });
  assert.deepEqual(found.data, { key: 'value' }, 'and a kubeconfig from before still works');
  const nodes = await connection.request<{ items: { metadata: { name: string } }[] }>({ method: 'GET', path: '/api/v1/nodes' });
  assert.deepEqual(
    nodes.items.map(({ metadata }) => metadata.name),
    ['simulated-1'],
    'a node too many is removed',
  );
});

test('a process that dies is started again, and the status knows the new one', { timeout: 120_000 }, async () => {
  for (const name of ['kube-scheduler', 'kube-apiserver', 'etcd']) {
    const { pid: before } = cluster.processes().find((process) => process.name === name)!;
    process.kill(before, 'SIGKILL');
    const settled = await until(
      `a healthy status with another ${name}`,
      async () => {
        const { state, processes } = await clusterStatus(home);
        const now = processes.find((process) => process.name === name)?.pid;
        return state === 'running' && now !== undefined && now !== before ? now : undefined;
      },
      { timeoutMs: 90_000, missing: async () => (await clusterStatus(home)).problem ?? 'the old one still runs' },
    );
    assert.deepEqual(cluster.processes().find((process) => process.name === name)?.pid, settled);
  }
  const notes = events.flatMap((event) => (event.type === 'note' ? [event.message] : []));
  const words = notes.filter((note) => note.includes('kube-scheduler'));
  assert.equal(words.length, 1);
  assert.match(
    words[0]!,
    /^kube-scheduler ended by SIGKILL and was started again \(process \d+\); its last words are in .+kube-scheduler\.log$/,
  );
});

test('a port that somebody took meanwhile is named with its holder, and nothing is left running', {
  timeout: 60_000,
}, async (t) => {
  const { port } = cluster;
  await cluster.stop();
  const squatter = createServer();
  t.after(() => squatter.close());
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  await assert.rejects(startCluster({ home, nodes: 0 }), {
    code: 'PortTaken',
    message: new RegExp(
      `^Port ${port} on 127\\.0\\.0\\.1, which the cluster in ${home} uses, is taken by .+ \\(process ${process.pid}\\): stop that program`,
    ),
  });
  assert.equal((await clusterStatus(home)).state, 'stopped');
});
