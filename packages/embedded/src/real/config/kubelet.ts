import { join } from 'node:path';
import { stringify } from 'yaml';
import type { NodeLayout } from '../layout.ts';
import { controlGroup } from '../machine/control-group.ts';
import { nodeNetwork } from '../network.ts';

/** kubelet's configuration. `systemCgroups` and `kubeletCgroups` stay unset: kubelet must move no process that is not a pod's. */
export function kubeletConfig(layout: NodeLayout): string {
  return stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: nodeNetwork.address,
    healthzPort: 0,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(layout.pki, 'ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: join(layout.pki, 'kubelet.crt'),
    tlsPrivateKeyFile: join(layout.pki, 'kubelet.key'),
    containerRuntimeEndpoint: `unix://${layout.containerdSocket}`,
    // A group of its own in every hierarchy: whatever runs in there is a pod's.
    cgroupRoot: `/${controlGroup}`,
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [nodeNetwork.dnsService],
    clusterDomain: nodeNetwork.domain,
    resolvConf: join(layout.directory, 'resolv.conf'),
    podLogsDir: layout.podLogs,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '2%', 'imagefs.available': '2%' },
    // Images are made here and can be pulled from nowhere: never delete one.
    imageGCHighThresholdPercent: 100,
    maxPods: 250,
    serializeImagePulls: false,
  });
}

export function kubeletArguments(layout: NodeLayout): string[] {
  return [
    `--config=${join(layout.directory, 'kubelet.yaml')}`,
    `--kubeconfig=${join(layout.pki, 'kubelet.kubeconfig')}`,
    `--root-dir=${layout.kubelet}`,
    `--hostname-override=${layout.name}`,
    `--node-ip=${nodeNetwork.address}`,
  ];
}

/** What pods may ask beside the cluster's own names: the machine's nameservers, without those that only the machine itself can reach. */
export function resolvConf(text: string): string {
  const kept = text.split('\n').filter((line) => {
    const [keyword, address = ''] = line.trim().split(/\s+/);
    if (keyword !== 'nameserver') return false;
    return !/^127\./.test(address) && address !== '::1';
  });
  return kept.map((line) => `${line.trim()}\n`).join('');
}
