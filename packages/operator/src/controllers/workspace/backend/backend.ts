/** What tells the network backends apart: the objects that make one isolated network. */
import type { WorkspaceNetwork } from '@terrain/api';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { bridge } from './bridge.ts';
import { kubeOvn } from './kube-ovn.ts';
import { ovnKubernetes } from './ovn-kubernetes.ts';

/** Where a network is wanted. */
export type NetworkPlace = {
  readonly workspaceUid: string;
  readonly namespace: string;
  readonly network: WorkspaceNetwork;
};

/** A further object of the platform, with what every child carries still to be added. */
export type BackendObject = { readonly type: ResourceType; readonly object: KubeObject };

export interface NetworkBackend {
  /** The plugin's configuration for machines, which configure their addresses themselves. */
  machineConfig(place: NetworkPlace): unknown;
  /** The one for containers, where it is another; they get their addresses from the plugin. */
  containerConfig?(place: NetworkPlace): unknown;
  /** Objects the network consists of besides its definition. */
  objects?(place: NetworkPlace): readonly BackendObject[];
}

/** By the name the policy gives. */
export const backends: Readonly<Record<'bridge' | 'ovn-kubernetes' | 'kube-ovn', NetworkBackend>> = {
  bridge,
  'ovn-kubernetes': ovnKubernetes,
  'kube-ovn': kubeOvn,
};
