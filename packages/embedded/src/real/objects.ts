import type { KubeObject } from '@terrain/runtime';
import { podNetwork } from './config/cni.ts';
import type { NodeLayout } from './layout.ts';
import { nodeNetwork } from './network.ts';

/** What pods find in the cluster: the Service of the names, which run on the node itself, and the pods' network under its name. */
export function nodeObjects(layout: NodeLayout): KubeObject[] {
  const dns = { name: 'kube-dns', namespace: 'kube-system' };
  const ports = [
    { name: 'dns', protocol: 'UDP', port: 53 },
    { name: 'dns-tcp', protocol: 'TCP', port: 53 },
  ];
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...dns, labels: { 'k8s-app': 'kube-dns' } },
      spec: { clusterIP: nodeNetwork.dnsService, ports },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...dns, labels: { 'kubernetes.io/service-name': dns.name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [nodeNetwork.address], conditions: { ready: true } }],
      ports,
    },
    // Multus looks for the pods' network here first, and complains on every pod when there is none.
    {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { name: nodeNetwork.cniName, namespace: 'kube-system' },
      spec: { config: JSON.stringify(podNetwork(layout)) },
    },
  ];
  return objects;
}
