/** `terrain workspace` against a real API server. No operator runs: the tests write the status it would. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crdOf, kinds, labels, type Workspace, type WorkspaceStatus, workspaceKind } from '@terrain/api';
import { aWorkspace, type Override } from '@terrain/api/testing';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import { applyManifests, type KubeObject, Resource } from '@terrain/runtime';
import { type Finished, Running } from './run-terrain.ts';

const { group, version, plural } = workspaceKind;
const workspaceType = { group, version, plural, namespaced: false };
const configured = { fieldManager: 'test' };
const time = '2026-01-01T00:00:00Z';
const condition = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: time,
});
const ready: WorkspaceStatus = {
  observedGeneration: 1,
  phase: 'Ready',
  ready: '3/3',
  message: 'all there',
  conditions: [condition('Ready', 'True')],
};

let shared: Promise<TestCluster> | undefined;

async function prepare(): Promise<TestCluster> {
  const cluster = await testCluster({ controllerManager: true });
  await applyManifests(cluster.connection(), kinds.map(crdOf) as unknown as KubeObject[], configured);
  return cluster;
}

/** A cluster with Terrain's kinds and nothing that acts on them. */
const clusterOf = (): Promise<TestCluster> => (shared ??= prepare());

const start = (cluster: TestCluster, ...args: string[]): Running =>
  new Running(['workspace', ...args, '--kubeconfig', cluster.kubeconfig]);
const run = async (...args: string[]): Promise<Finished> => start(await clusterOf(), ...args).finished;
const workspaces = async (): Promise<Resource<Workspace>> =>
  new Resource<Workspace>((await clusterOf()).connection(), workspaceType);

async function add(name: string, change: Override<Workspace> = {}): Promise<void> {
  const { status, ...workspace } = aWorkspace({ ...change, metadata: { ...change.metadata, name } });
  await (await workspaces()).create(workspace);
  if (status !== undefined) await report(name, status);
}

async function report(name: string, status: WorkspaceStatus): Promise<void> {
  await (await workspaces()).mergePatch({ name, subresource: 'status' }, { status });
}

/** What the operator would make for a workspace. */
async function addChildren(name: string, finalizers: string[] = []): Promise<void> {
  const namespace = `workspace-${name}`;
  const marks = { [labels.workspace]: name };
  const metadata = (own: string, more: object = {}) => ({ name: own, namespace, labels: { ...marks, ...more } });
  const pod = {
    metadata: { labels: { app: 'dns' } },
    spec: { containers: [{ name: 'c', image: 'registry.example.com/dns:1' }] },
  };
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: marks } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata('dns', { [labels.containerCluster]: 'dns' }),
      spec: { selector: { matchLabels: { app: 'dns' } }, template: pod },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata('web-passwords'), finalizers },
      stringData: { ada: 'very secret' },
    },
    { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: metadata('isolation'), spec: { podSelector: {} } },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'foreign', namespace },
      spec: { podSelector: {} },
    },
  ];
  await applyManifests((await clusterOf()).connection(), objects as KubeObject[], configured);
}

test('a cluster without workspaces says so', async () => {
  assert.deepEqual(await run('list'), { code: 0, stdout: '', stderr: 'There are no workspaces.\n' });
});

test('list shows phase, readiness and message, more with -o wide, and the objects themselves for programs', async () => {
  await add('listed', { status: { ...ready, namespace: 'workspace-listed' } });
  const [table, wide, json, yaml] = await Promise.all([
    run('list'),
    run('list', '-o', 'wide'),
    run('list', '-o', 'json'),
    run('list', '-o', 'yaml'),
  ]);
  assert.match(table.stdout, /^NAME +PHASE +READY +AGE +MESSAGE\n/);
  assert.match(table.stdout, /^listed +Ready +3\/3 +\d+s +all there$/m);
  assert.match(wide.stdout, /^listed +Ready +3\/3 +\d+s +workspace-listed +1 +0 +1 +0 +all there$/m);
  const { items } = JSON.parse(json.stdout) as { items: Workspace[] };
  const listed = items.find(({ metadata }) => metadata.name === 'listed');
  assert.deepEqual([listed?.status?.ready, Object.hasOwn(listed?.metadata ?? {}, 'managedFields')], ['3/3', false]);
  assert.match(yaml.stdout, /^apiVersion: v1\nkind: List\nitems:\n/);
});

test('tree shows every part with its state, and what really exists below it', async () => {
  await add('tree', {
    spec: { containerClusters: [{ name: 'dns', containers: [{ name: 'bind', image: 'registry.example.com/dns:1' }] }] },
    status: {
      observedGeneration: 1,
      phase: 'Provisioning',
      ready: '1/4',
      message: 'waits for disk image debian',
      components: [
        { kind: 'Network', name: 'lan', phase: 'Ready' },
        { kind: 'VirtualMachine', name: 'web', phase: 'Failed', message: 'its image was given up' },
      ],
    },
  });
  await addChildren('tree');
  const { code, stdout, stderr } = await run('tree', 'tree');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Workspace tree +Provisioning 1\/4 +waits for disk image debian\n/);
  assert.match(stdout, /^├─ VMDiskImage debian +- +not there yet$/m);
  assert.match(stdout, /^├─ Network lan +Ready$/m);
  assert.match(stdout, /^├─ VirtualMachine web +Failed +its image was given up\n│ {2}└─ Secret web-passwords$/m);
  assert.match(stdout, /^├─ ContainerCluster dns +-\n│ {2}└─ Deployment dns +0\/1 ready/m);
  assert.match(stdout, /^└─ NetworkPolicy isolation$/m);
  assert.doesNotMatch(stdout, /foreign|very secret/);
  const json = JSON.parse((await run('tree', 'tree', '-o', 'json')).stdout) as { kind: string; children: { kind: string }[] };
  assert.deepEqual([json.kind, json.children.length], ['Workspace', 5]);
});

test('tree --watch tells every change in a pipe, and ends with the workspace or by Ctrl-C', { timeout: 180_000 }, async () => {
  await add('watched', { status: { observedGeneration: 1, phase: 'Provisioning', ready: '0/3', message: 'waits for web' } });
  const cluster = await clusterOf();
  const [lines, json, stopped] = [[], ['-o', 'json'], []].map((more) =>
    start(cluster, 'tree', 'watched', '--watch', ...more),
  ) as [Running, Running, Running];
  await Promise.all([
    lines.printed('Provisioning 0/3  waits for web\n├─ VMDiskImage debian'),
    json.printed('"state":"Provisioning 0/3"'),
    stopped.printed('Workspace watched '),
  ]);
  await report('watched', ready);
  await Promise.all([lines.printed('  Workspace watched:  Ready 3/3  all there\n'), json.printed('"state":"Ready 3/3"')]);
  await addChildren('watched');
  await lines.printed('  Secret web-passwords:\n');
  stopped.child.kill('SIGINT');
  assert.equal((await stopped.finished).code, 0);
  await (await workspaces()).delete({ name: 'watched' });
  const [{ code, stdout, stderr }, { code: jsonCode, stdout: states }] = await Promise.all([lines.finished, json.finished]);
  assert.deepEqual([code, stderr, jsonCode], [0, 'Workspace watched is gone.\n', 0]);
  assert.doesNotMatch(stdout, /very secret|foreign/);
  for (const state of states.trim().split('\n')) assert.equal((JSON.parse(state) as { name: string }).name, 'watched');
});

test('topology of a live workspace shows its state', async () => {
  await add('drawn', {
    status: { ...ready, components: [{ kind: 'VirtualMachine', name: 'web', phase: 'Ready', message: 'runs' }] },
  });
  const { code, stdout } = await run('topology', 'drawn');
  assert.deepEqual([code, stdout], [0, 'drawn: 1 network, 1 VM\n\nlan  10.10.0.0/24\n└─ web  10.10.0.10/24  VM  Ready: runs\n']);
});

test('wait says what it waits for and ends when the workspace is ready', async () => {
  await add('awaited');
  const waiting = start(await clusterOf(), 'wait', 'awaited');
  await waiting.printed('awaited: the operator has not seen it yet');
  await report('awaited', { observedGeneration: 1, phase: 'Provisioning', ready: '1/3', message: 'waits for web' });
  await waiting.printed('awaited: 1/3 ready, waits for web');
  await report('awaited', ready);
  const { code, stdout, stderr } = await waiting.finished;
  assert.deepEqual([code, stdout], [0, '']);
  assert.match(stderr, /awaited: ready\n$/);
});

test('wait fails with the words of the workspace, is late with them, and names one that is not there', async () => {
  await add('stalled', {
    status: { observedGeneration: 1, phase: 'Failed', message: 'cidr overlaps', conditions: [condition('Stalled', 'True')] },
  });
  await add('slow', { status: { observedGeneration: 1, phase: 'Provisioning', message: 'waits for web' } });
  const [failed, late, missing] = await Promise.all([
    run('wait', 'stalled', 'slow', '--timeout', '1s'),
    run('wait', 'slow', '--timeout', '1s'),
    run('wait', 'nobody'),
  ]);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /terrain: stalled: cidr overlaps\nslow is not ready after 1\.0 s: waits for web\n$/);
  assert.equal(late.code, 3);
  assert.match(late.stderr, /terrain: slow is not ready after 1\.0 s: waits for web\n$/);
  const sentence = 'terrain: there is no workspace nobody; `terrain workspace list` shows those there are.\n';
  assert.deepEqual([missing.code, missing.stderr], [1, sentence]);
  for (const command of ['tree', 'delete', 'topology'])
    assert.deepEqual(await run(command, 'nobody'), { code: 1, stdout: '', stderr: sentence });
});

test('wait ends when the workspace is deleted under it', async () => {
  await add('doomed');
  const waiting = start(await clusterOf(), 'wait', 'doomed');
  await waiting.printed('has not seen it yet');
  await (await workspaces()).delete({ name: 'doomed' });
  const { code, stderr } = await waiting.finished;
  assert.equal(code, 1);
  assert.match(stderr, /terrain: there is no workspace doomed;/);
});

test('delete waits for the namespace too, and names what blocks by object and finalizer', async () => {
  const cluster = await clusterOf();
  await add('held', { metadata: { finalizers: ['pelotech.ot/cleanup'] } });
  await addChildren('held', ['example.com/hold']);
  const late = await run('delete', 'held', '--timeout', '2s');
  assert.equal(late.code, 3);
  assert.match(
    late.stderr,
    /terrain: held is not gone after 2\.0 s: the operator has not removed its finalizer pelotech\.ot\/cleanup yet/,
  );

  const deleting = start(cluster, 'delete', 'held');
  await deleting.printed('held: the operator has not removed its finalizer');
  await (await workspaces()).mergePatch({ name: 'held' }, { metadata: { finalizers: null } });
  const connection = cluster.connection();
  const at = { namespace: 'workspace-held', name: 'web-passwords' };
  await connection.request({ method: 'DELETE', path: '/api/v1/namespaces/workspace-held' });
  await deleting.printed('held: Secret web-passwords is held by finalizer example.com/hold');
  const secrets = new Resource<KubeObject>(connection, { group: '', version: 'v1', plural: 'secrets', namespaced: true });
  await secrets.mergePatch(at, { metadata: { finalizers: null } });
  const { code, stderr } = await deleting.finished;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /held: deleted\n$/);
});

test('delete without waiting only asks, and deletes none when one is not there', async () => {
  await add('asked', { metadata: { finalizers: ['pelotech.ot/cleanup'] } });
  assert.equal((await run('delete', 'asked', 'nobody')).code, 1);
  assert.equal((await (await workspaces()).get({ name: 'asked' })).metadata.deletionTimestamp, undefined);
  assert.deepEqual(await run('delete', 'asked', '--no-wait'), { code: 0, stdout: '', stderr: 'asked: deletion asked for\n' });
  assert.notEqual((await (await workspaces()).get({ name: 'asked' })).metadata.deletionTimestamp, undefined);
  await (await workspaces()).mergePatch({ name: 'asked' }, { metadata: { finalizers: null } });
});
