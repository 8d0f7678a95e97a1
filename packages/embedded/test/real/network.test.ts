import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { until } from '#process/until.ts';
import { apply, fetchFrom, namespaceObject, patience, realCluster, serve, shellPod } from './real-cluster.ts';

const service = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] },
});

test('a Service is reached by its name and by its address, from a pod and from this machine', { timeout: 400_000 }, async () => {
  const { cluster, shell } = await realCluster();
  const namespace = 'services';
  await apply(
    cluster,
    namespaceObject(namespace),
    service(namespace, 'web'),
    shellPod(namespace, 'web', serve('hello')),
    shellPod(namespace, 'client', 'true'),
  );
  await shell.running(namespace, 'web', 'client');
  const isHello = (stdout: string) => stdout === 'hello\n';
  for (const host of ['web', `web.${namespace}.svc.cluster.local`])
    assert.equal(await shell.execUntil(namespace, 'client', fetchFrom(host, 80), isHello), 'hello\n', host);
  const address = (await shell.kubectl('get', 'service', 'web', '-n', namespace, '-o', 'jsonpath={.spec.clusterIP}')).stdout;
  assert.equal(await shell.execUntil(namespace, 'client', fetchFrom(address, 80), isHello), 'hello\n');
  assert.match(await (await fetch(`http://${address}/`)).text(), /^hello/);
  assert.match(
    await shell.execUntil(namespace, 'client', 'nslookup kubernetes.default.svc.cluster.local'),
    /10\.96\.0\.1\b/,
    'the API server has a name too',
  );
});

test('a NetworkPolicy lets in whom it names, nobody else, and everybody once it is gone', { timeout: 400_000 }, async () => {
  const { cluster, shell } = await realCluster();
  const namespace = 'policies';
  await apply(
    cluster,
    namespaceObject(namespace),
    shellPod(namespace, 'web', serve('secret')),
    shellPod(namespace, 'friend', 'true', { labels: { role: 'friend' } }),
    shellPod(namespace, 'stranger', 'true'),
  );
  await shell.running(namespace, 'web', 'friend', 'stranger');
  const address = (await shell.kubectl('get', 'pod', 'web', '-n', namespace, '-o', 'jsonpath={.status.podIP}')).stdout;
  const isSecret = (stdout: string) => stdout === 'secret\n';
  const isNothing = (stdout: string) => stdout === '';
  await shell.execUntil(namespace, 'stranger', fetchFrom(address), isSecret);
  await apply(cluster, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'friends', namespace },
    spec: {
      podSelector: { matchLabels: { app: 'web' } },
      ingress: [{ from: [{ podSelector: { matchLabels: { role: 'friend' } } }] }],
    },
  });
  await shell.execUntil(namespace, 'stranger', fetchFrom(address), isNothing);
  assert.equal(await shell.execUntil(namespace, 'friend', fetchFrom(address), isSecret), 'secret\n');
  assert.equal((await shell.exec(namespace, 'stranger', fetchFrom(address))).stdout, '', 'still shut');
  await shell.kubectl('delete', 'networkpolicy', 'friends', '-n', namespace);
  await shell.execUntil(namespace, 'stranger', fetchFrom(address), isSecret);
});

const lab = (namespace: string, bridge: string) => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name: 'front', namespace },
  spec: {
    config: JSON.stringify({
      cniVersion: '1.0.0',
      name: `${namespace}-front`,
      type: 'bridge',
      bridge,
      isGateway: false,
      ipMasq: false,
      macspoofchk: true,
      capabilities: { ips: true, mac: true },
      ipam: { type: 'static' },
    }),
  },
});

const onFront = (address: string) => ({
  annotations: { 'k8s.v1.cni.cncf.io/networks': JSON.stringify([{ name: 'front', ips: [`${address}/24`] }]) },
});

test('two labs with the same addresses never meet, and this machine cannot be reached from their networks', {
  timeout: 400_000,
}, async () => {
  const { cluster, shell } = await realCluster();
  const labs = { 'lab-a': 'tr-lab-a', 'lab-b': 'tr-lab-b' } as const;
  for (const [namespace, bridge] of Object.entries(labs)) {
    await apply(cluster, namespaceObject(namespace), lab(namespace, bridge));
    await apply(
      cluster,
      shellPod(namespace, 'server', serve(namespace), onFront('10.10.1.11')),
      shellPod(namespace, 'client', 'true', onFront('10.10.1.12')),
    );
  }
  for (const namespace of Object.keys(labs)) {
    await shell.running(namespace, 'server', 'client');
    const own = (stdout: string) => stdout === `${namespace}\n`;
    assert.equal(await shell.execUntil(namespace, 'client', fetchFrom('10.10.1.11'), own), `${namespace}\n`);
  }
  // Gone in one lab, the address is not answered by the other's.
  await shell.kubectl('delete', 'pod', 'server', '-n', 'lab-a', '--wait=true', '--timeout=120s');
  assert.equal((await shell.exec('lab-a', 'client', fetchFrom('10.10.1.11'))).stdout, '');
  assert.equal((await shell.exec('lab-b', 'client', fetchFrom('10.10.1.11'))).stdout, 'lab-b\n');

  for (const bridge of Object.values(labs)) {
    const [link] = JSON.parse(execFileSync('ip', ['-j', 'address', 'show', bridge], { encoding: 'utf8' }));
    assert.deepEqual(link.addr_info, [], 'the machine has no address on a bridge of a lab, not even a link-local one');
  }
  const ping = await shell.exec('lab-b', 'client', `ping -6 -c 1 -W 2 ${linkLocal('tr-lab-b')}%net1`);
  assert.notEqual(ping.code, 0, 'nor does it answer at the one it would have');

  await shell.kubectl('delete', 'namespace', 'lab-a', 'lab-b', '--timeout=120s');
  const areGone = async () => (Object.values(labs).some((name) => existsSync(`/sys/class/net/${name}`)) ? undefined : true);
  await until('the end of the bridges of labs that are gone', areGone, patience);
});

/** The address the kernel gives an interface of its own accord, made of its hardware address. */
function linkLocal(name: string): string {
  const bytes = readFileSync(`/sys/class/net/${name}/address`, 'utf8').trim().split(':');
  const first = (Number.parseInt(bytes[0]!, 16) ^ 2).toString(16).padStart(2, '0');
  return `fe80::${first}${bytes[1]}:${bytes[2]}ff:fe${bytes[3]}:${bytes[4]}${bytes[5]}`;
}

test('a network of another namespace is refused in the plain annotation', { timeout: 400_000 }, async () => {
  const { cluster, shell } = await realCluster();
  await apply(cluster, namespaceObject('owner'), namespaceObject('thief'), lab('owner', 'tr-owner'));
  const annotations = { 'k8s.v1.cni.cncf.io/networks': 'owner/front' };
  await apply(cluster, shellPod('thief', 'thief', 'true', { annotations }));
  const isRefused = async () => {
    const { stdout } = await shell.kubectl('get', 'events', '-n', 'thief', '-o', 'jsonpath={.items[*].message}');
    return /namespace isolation enabled, annotation violates permission/.test(stdout) ? true : undefined;
  };
  await until('the refusal of the network of another namespace', isRefused, patience);
  await shell.kubectl('delete', 'namespace', 'owner', 'thief', '--timeout=120s');
});
