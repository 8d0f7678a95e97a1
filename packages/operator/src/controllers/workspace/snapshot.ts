import type { TopologyOptions, VMDiskImage, Workspace, WorkspaceReason } from '@terrain/api';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { findingsOf, type Finding as SharedFinding } from '#controllers/shared/finding.ts';
import type { Secret, StorageClass } from '#platform/core.ts';
import type { Pod } from '#platform/workload.ts';
import type { Policy } from '#policy/policy.ts';

/** A workspace as the API server stores it. */
export type StoredWorkspace = Workspace & {
  readonly metadata: Workspace['metadata'] & { readonly uid: string; readonly resourceVersion: string };
};

/** What one condition says. */
export type Finding = SharedFinding<WorkspaceReason>;

export const { yes, no, stuck } = findingsOf<WorkspaceReason>();

/** The parts a workspace consists of. */
export type ComponentKind = 'VMDiskImage' | 'Network' | 'Volume' | 'VirtualMachine' | 'ContainerCluster';

/** What of the policy a workspace depends on. */
export type WorkspacePolicy = Pick<
  Policy,
  | 'imageNamespace'
  | 'imageUrlTemplate'
  | 'imageSourceType'
  | 'imageStorageClass'
  | 'imageSnapshotClass'
  | 'imageSecretRef'
  | 'defaultDiskSize'
  | 'ansibleImage'
  | 'networkBackend'
>;

/** Where an object stands among the children: its kind's plural and its name. Namespaced ones are all in the workspace's namespace. */
export type ChildId = string;
export const childId = ({ plural }: ResourceType, name: string | undefined): ChildId => `${plural}/${name}`;

/** What the cluster uses itself, and networks must keep clear of; and nameservers of it that are no pods. */
export type ClusterFacts = TopologyOptions & { readonly dnsServers?: readonly string[] };

/** Everything a decision about one workspace rests on, read from the caches at one moment. */
export type Snapshot = {
  readonly workspace: StoredWorkspace;
  /** The API server's clock. */
  readonly nowMs: number;
  readonly policy: WorkspacePolicy;
  readonly clusterRanges: ClusterFacts;
  /** The namespace workspace-<name>, whoever it belongs to. */
  readonly namespace: KubeObject | undefined;
  /** Whether the namespace of the disk images is there and stays. */
  readonly isImageNamespaceThere: boolean;
  /** Controlled by this workspace, by UID. */
  readonly children: ReadonlyMap<ChildId, KubeObject>;
  /** The images its machines boot from, by name. */
  readonly images: ReadonlyMap<string, VMDiskImage>;
  /** The pods of its container clusters. */
  readonly pods: readonly Pod[];
  /** Where pull secrets are copied from. */
  readonly operatorNamespace: string;
  /** Those of the pull secrets it names that exist where the operator is, by name. */
  readonly pullSecrets: ReadonlyMap<string, Secret>;
  readonly storageClasses: readonly StorageClass[];
  readonly platform: { readonly hasNetworks: boolean; readonly hasKubeOvn: boolean };
};

/** The child of a kind and a name; undefined when there is none. */
export const childOf = <T extends KubeObject>({ children }: Snapshot, type: ResourceType, name: string): T | undefined =>
  children.get(childId(type, name)) as T | undefined;
