/** The namespace of a workspace, and what separates it from everything else. Complete, and the same for the same input. */
import { isolationPolicyName, pullSecretName } from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';
import type { Secret } from '#platform/core.ts';
import { type NetworkPolicy, namespaceNameLabel, podSecurityLabel } from '#platform/isolation.ts';
import { namespaceOf, ownerOf, ownLabels } from './facts.ts';
import type { StoredWorkspace } from './snapshot.ts';

export function desiredNamespace(workspace: StoredWorkspace): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespaceOf(workspace),
      labels: { ...ownLabels(workspace), [podSecurityLabel]: 'baseline' },
      ownerReferences: [ownerOf(workspace)],
    },
  };
}

const dnsPort = 53;
/** Where the cluster's own DNS is. */
const systemNamespace = 'kube-system';

const dnsPorts = [
  { protocol: 'UDP', port: dnsPort },
  { protocol: 'TCP', port: dnsPort },
];

/**
 * Nothing in and nothing out, except inside the workspace and to the cluster's DNS. `dnsServers` are addresses where DNS answers that is no pod: a
 * cache on every node, or a program of the node itself. No selector finds those.
 */
export function desiredIsolation(workspace: StoredWorkspace, dnsServers: readonly string[] = []): NetworkPolicy {
  const inside = [{ podSelector: {} }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: isolationPolicyName,
      namespace: namespaceOf(workspace),
      labels: ownLabels(workspace),
      ownerReferences: [ownerOf(workspace)],
    },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: inside }],
      egress: [
        { to: inside },
        {
          to: [{ namespaceSelector: { matchLabels: { [namespaceNameLabel]: systemNamespace } } }],
          ports: dnsPorts,
        },
        ...(dnsServers.length === 0 ? [] : [{ to: dnsServers.map(hostPeer), ports: dnsPorts }]),
      ],
    },
  };
}

const hostPeer = (address: string) => ({ ipBlock: { cidr: `${address}/${address.includes(':') ? 128 : 32}` } });

/** The copy of a pull secret, where pods can use it. */
export function desiredPullSecret(workspace: StoredWorkspace, { metadata, type, data }: Secret): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: pullSecretName(metadata.name ?? ''),
      namespace: namespaceOf(workspace),
      labels: ownLabels(workspace),
      ownerReferences: [ownerOf(workspace)],
    },
    ...(type === undefined ? {} : { type }),
    ...(data === undefined ? {} : { data }),
  };
}
