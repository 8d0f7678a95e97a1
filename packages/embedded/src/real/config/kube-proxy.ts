import { join } from 'node:path';
import { stringify } from 'yaml';
import type { NodeLayout } from '../layout.ts';
import { nodeNetwork } from '../network.ts';

/** kube-proxy with nftables, in tables of its own. It changes no limit of connection tracking: those belong to the machine. */
export function kubeProxyConfig(layout: NodeLayout, metricsPort: number): string {
  return stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig: join(layout.pki, 'kube-proxy.kubeconfig') },
    clusterCIDR: nodeNetwork.clusterRange,
    hostnameOverride: layout.name,
    bindAddress: nodeNetwork.address,
    healthzBindAddress: `${nodeNetwork.address}:10256`,
    metricsBindAddress: `127.0.0.1:${metricsPort}`,
    // Ports of the node are served on the pod bridge alone, not on what other machines reach.
    nodePortAddresses: [nodeNetwork.podRange],
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  });
}
