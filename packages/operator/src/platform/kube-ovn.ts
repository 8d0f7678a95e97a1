/** Kube-OVN's Vpc and Subnet: the fields we set, and no others. */
import type { KubeObject, ResourceType } from '@terrain/runtime';

const kubeOvn = (plural: string): ResourceType => ({ group: 'kubeovn.io', version: 'v1', plural, namespaced: false });

export const vpcType = kubeOvn('vpcs');
export const subnetType = kubeOvn('subnets');
export const kubeOvnApiVersion = 'kubeovn.io/v1';

export interface Vpc extends KubeObject {
  readonly spec: { readonly namespaces: readonly string[] };
}

export interface Subnet extends KubeObject {
  readonly spec: {
    readonly vpc: string;
    readonly provider: string;
    readonly protocol: 'IPv4' | 'IPv6';
    readonly cidrBlock: string;
    readonly gateway?: string;
    readonly private: boolean;
    readonly natOutgoing: boolean;
  };
}
