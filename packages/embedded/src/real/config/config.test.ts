import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { nodeLayout } from '../layout.ts';
import { nodeNetwork } from '../network.ts';
import { cniFiles } from './cni.ts';
import { containerdConfig } from './containerd.ts';
import { corefile } from './coredns.ts';
import { kubeProxyConfig } from './kube-proxy.ts';
import { kubeletConfig, resolvConf } from './kubelet.ts';

const layout = nodeLayout('/h', 'n');

test('nothing listens on an address that other machines can reach', () => {
  const kubelet = parse(kubeletConfig(layout));
  const proxy = parse(kubeProxyConfig(layout, 20_001));
  assert.deepEqual([kubelet.address, kubelet.healthzPort], [nodeNetwork.address, 0]);
  assert.deepEqual([proxy.healthzBindAddress, proxy.metricsBindAddress], [`${nodeNetwork.address}:10256`, '127.0.0.1:20001']);
  assert.deepEqual(proxy.nodePortAddresses, [nodeNetwork.podRange]);
  assert.match(corefile(layout), new RegExp(`bind ${nodeNetwork.address}\n`));
  assert.match(containerdConfig(layout), /stream_server_address = "127\.0\.0\.1"/);
});

test('kubelet answers nobody it does not know, moves no process but those of pods, and deletes no image', () => {
  const kubelet = parse(kubeletConfig(layout));
  assert.deepEqual([kubelet.authentication.anonymous.enabled, kubelet.authorization.mode], [false, 'Webhook']);
  assert.deepEqual([kubelet.cgroupRoot, kubelet.systemCgroups, kubelet.kubeletCgroups], ['/terrain', undefined, undefined]);
  assert.equal(kubelet.imageGCHighThresholdPercent, 100);
});

test('Multus comes first, keeps pods to the networks of their namespace, and finds the network of the pods by its name', () => {
  const [first, second] = Object.entries(cniFiles(layout)).sort();
  assert.equal(first![0], '00-multus.conflist');
  const [multus] = JSON.parse(first![1]).plugins;
  assert.equal(multus.namespaceIsolation, true);
  assert.equal(multus.clusterNetwork, JSON.parse(second![1]).name);
});

const nameservers: Record<string, { given: string; want: string }> = {
  'a nameserver elsewhere is kept': { given: 'nameserver 10.0.0.2\n', want: 'nameserver 10.0.0.2\n' },
  'one that only this machine reaches is not': {
    given: 'nameserver 127.0.0.53\nnameserver ::1\nnameserver 9.9.9.9\n',
    want: 'nameserver 9.9.9.9\n',
  },
  'nothing else is': { given: '# comment\nsearch example.com\noptions edns0\n', want: '' },
};
for (const [name, { given, want }] of Object.entries(nameservers)) test(name, () => assert.equal(resolvConf(given), want));
