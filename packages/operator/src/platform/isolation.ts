/** NetworkPolicy, and the labels by which a namespace restricts its pods. */
import type { KubeObject, ResourceType } from '@terrain/runtime';

export const networkPolicyType: ResourceType = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
  namespaced: true,
};

type Selector = { readonly matchLabels?: Readonly<Record<string, string>> };
type Peer = {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string };
};
type Port = { readonly protocol: string; readonly port: number };

export interface NetworkPolicy extends KubeObject {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly { readonly from: readonly Peer[] }[];
    readonly egress?: readonly { readonly to: readonly Peer[]; readonly ports?: readonly Port[] }[];
  };
}

/** What pods of a namespace may be; enforced by the API server. */
export const podSecurityLabel = 'pod-security.kubernetes.io/enforce';

/** Every namespace carries its own name under this label. */
export const namespaceNameLabel = 'kubernetes.io/metadata.name';
