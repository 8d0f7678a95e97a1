import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#process/until.ts';
import { apply, claimObject, fetchFrom, namespaceObject, patience, realCluster, shellPod } from './real-cluster.ts';

test('a pod writes logs, runs commands with their exit codes, and reaches the API server by its name', {
  timeout: 400_000,
}, async () => {
  const { cluster, shell } = await realCluster();
  const namespace = 'pods';
  await apply(cluster, namespaceObject(namespace), shellPod(namespace, 'talker', 'echo one; echo two >&2'));
  await shell.running(namespace, 'talker');
  const hasBoth = async () => {
    const { stdout } = await shell.kubectl('logs', 'talker', '-n', namespace);
    return stdout.split('\n').sort().join() === ',one,two' ? true : undefined;
  };
  await until('both lines in the log', hasBoth, patience);
  const seven = await shell.exec(namespace, 'talker', 'echo said; exit 7');
  assert.deepEqual([seven.code, seven.stdout], [7, 'said\n']);
  const token = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  assert.match(await shell.execUntil(namespace, 'talker', `cut -d. -f2 ${token} | wc -c`), /^\d{3,}/);
  // It answers so to whoever does not encrypt.
  const isApiServer = (stdout: string) => stdout.includes('Client sent an HTTP request to an HTTPS server');
  await shell.execUntil(namespace, 'talker', fetchFrom('kubernetes.default.svc.cluster.local', 443), isApiServer);
});

test('a volume is mounted into a pod; what is written there is there for the next pod, and no more fits than its size', {
  timeout: 400_000,
}, async () => {
  const { cluster, shell } = await realCluster();
  const namespace = 'volumes';
  await apply(cluster, namespaceObject(namespace), claimObject(namespace, 'data'));
  await apply(cluster, shellPod(namespace, 'writer', 'echo kept > /data/word && sync', { claim: 'data' }));
  assert.equal(await shell.execUntil(namespace, 'writer', 'cat /data/word'), 'kept\n');
  const full = await shell.exec(namespace, 'writer', 'dd if=/dev/zero of=/data/much bs=1M count=200; rm /data/much');
  assert.match(full.stderr, /No space left on device/, 'the size of a volume is a limit');
  await shell.kubectl('delete', 'pod', 'writer', '-n', namespace, '--timeout=120s');
  await apply(cluster, shellPod(namespace, 'reader', 'true', { claim: 'data' }));
  assert.equal(await shell.execUntil(namespace, 'reader', 'cat /data/word'), 'kept\n');
  assert.equal((await shell.kubectl('delete', 'namespace', namespace, '--timeout=120s')).code, 0, 'nothing holds it back');
});

test('programs of the node that die are started again; pods go on meanwhile', { timeout: 400_000 }, async () => {
  const { cluster, node, shell } = await realCluster();
  const namespace = 'restarts';
  await apply(cluster, namespaceObject(namespace), shellPod(namespace, 'steady', 'true'));
  await shell.running(namespace, 'steady');
  const started = await shell.execUntil(namespace, 'steady', 'cat /proc/1/stat | cut -d" " -f22');
  const pids = new Map(node.processes().map(({ name, pid }) => [name, pid]));
  assert.deepEqual([...pids.keys()].sort(), ['containerd', 'coredns', 'kube-proxy', 'kube-router', 'kubelet']);
  for (const pid of pids.values()) process.kill(pid, 'SIGKILL');
  const areNew = async () => {
    const all = node.processes();
    return all.every(({ name, pid, exit }) => pids.get(name) !== pid && exit === undefined) ? true : undefined;
  };
  await until('the new start of all programs', areNew, patience);
  assert.equal(await shell.execUntil(namespace, 'steady', 'cat /proc/1/stat | cut -d" " -f22'), started, 'the same process');
  await apply(cluster, shellPod(namespace, 'later', 'true'));
  await shell.running(namespace, 'later');
  await shell.execUntil(namespace, 'later', 'nslookup kubernetes.default.svc.cluster.local');
  await shell.kubectl('delete', 'namespace', namespace, '--timeout=120s');
});
