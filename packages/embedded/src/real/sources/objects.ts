import type { KubeObject } from '@terrain/runtime';
import { type SourceKind, sourceNamespace, sourceServices } from './address.ts';

/** The Services of the servers, which are no pods: each leads to a port of this machine. */
export function sourceObjects(address: string, ports: Readonly<Record<SourceKind, number>>): KubeObject[] {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: sourceNamespace } };
  const kinds = Object.keys(sourceServices) as SourceKind[];
  return [namespace, ...kinds.flatMap((kind) => serviceOf(kind, address, ports[kind]))];
}

function serviceOf(kind: SourceKind, address: string, targetPort: number): KubeObject[] {
  const { name, port } = sourceServices[kind];
  const metadata = { name, namespace: sourceNamespace };
  const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ name: 'tcp', port, targetPort }] } };
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'tcp', port: targetPort, protocol: 'TCP' }],
  };
  return [service, slice];
}
