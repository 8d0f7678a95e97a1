/** From caches to a Snapshot. Makes no requests. */
import { labels, labelValue, type VirtualMachine, type VMDiskImage, type Workspace, workspaceNamespace } from '@terrain/api';
import { controllerUid, type Informer, type KubeObject } from '@terrain/runtime';
import type { Secret, StorageClass } from '#platform/core.ts';
import type { Pod } from '#platform/workload.ts';
import { imageNames } from './children.ts';
import { type ClusterFacts, childId, type Snapshot, type StoredWorkspace, type WorkspacePolicy } from './snapshot.ts';

/** The caches decisions read. */
export interface WorkspaceInformers {
  readonly workspaces: Informer<Workspace>;
  readonly images: Informer<VMDiskImage>;
  readonly machines: Informer<VirtualMachine>;
  /** One for each kind of children but the machines, and only those of workspaces. */
  readonly children: readonly Informer<KubeObject>[];
  readonly networks: Informer<KubeObject>;
  readonly subnets: Informer<KubeObject>;
  readonly pods: Informer<Pod>;
  /** Only metadata. */
  readonly namespaces: Informer<KubeObject>;
  /** Those where the operator is: pull secrets are copied from there. */
  readonly ownSecrets: Informer<Secret>;
  readonly storageClasses: Informer<StorageClass>;
}

const byOwner = 'workspace/owner';
const byImage = 'workspace/image';
const byLabel = 'workspace/label';
const byNamespace = 'workspace/namespace';
const byPullSecret = 'workspace/pull-secret';

const ownerUid = (object: KubeObject): string[] => [controllerUid(object) ?? ''];

export function addIndexes({ workspaces, machines, children, pods }: WorkspaceInformers): void {
  for (const informer of children) informer.addIndex(byOwner, ownerUid);
  machines.addIndex(byOwner, ownerUid);
  pods.addIndex(byLabel, labelOf);
  workspaces.addIndex(byImage, ({ spec }) => imageNames(spec));
  workspaces.addIndex(byLabel, ({ metadata }) => [labelValue(metadata.name)]);
  workspaces.addIndex(byNamespace, ({ metadata }) => [workspaceNamespace(metadata.name)]);
  workspaces.addIndex(byPullSecret, ({ spec }) => (spec.imagePullSecrets ?? []).map(({ name }) => name));
}

const labelOf = ({ metadata }: KubeObject): string[] => [metadata.labels?.[labels.workspace] ?? ''];

export interface ObserveSources {
  readonly informers: WorkspaceInformers;
  readonly policy: () => WorkspacePolicy;
  readonly serverNow: () => number;
  /** Where the operator is. */
  readonly namespace: string;
  readonly clusterRanges: ClusterFacts;
}

/** What is known about a workspace; undefined when it is gone. */
export function observe(sources: ObserveSources, key: string): Snapshot | undefined {
  const { informers, policy: policyInForce, serverNow, namespace, clusterRanges } = sources;
  const workspace = informers.workspaces.store.get(key) as StoredWorkspace | undefined;
  if (workspace === undefined) return undefined;
  const { name, uid } = workspace.metadata;
  const policy = policyInForce();
  const imageNamespace = informers.namespaces.store.get(policy.imageNamespace);
  return {
    workspace,
    nowMs: serverNow(),
    policy,
    clusterRanges,
    namespace: informers.namespaces.store.get(workspaceNamespace(name)),
    isImageNamespaceThere: imageNamespace !== undefined && imageNamespace.metadata.deletionTimestamp === undefined,
    children: childrenOf(informers, uid),
    images: new Map(
      imageNames(workspace.spec).flatMap((image) => {
        const found = informers.images.store.get(`${policy.imageNamespace}/${image}`);
        return found === undefined ? [] : [[image, found]];
      }),
    ),
    operatorNamespace: namespace,
    pods: informers.pods.store.byIndex(byLabel, labelValue(name)),
    pullSecrets: new Map(
      (workspace.spec.imagePullSecrets ?? []).flatMap(({ name: secret }) => {
        const found = informers.ownSecrets.store.get(`${namespace}/${secret}`);
        return found === undefined ? [] : [[secret, found]];
      }),
    ),
    storageClasses: [...informers.storageClasses.store.values()],
    platform: {
      hasNetworks: informers.networks.served === true,
      hasKubeOvn: informers.subnets.served === true,
    },
  };
}

function childrenOf({ children, machines }: WorkspaceInformers, uid: string): Snapshot['children'] {
  const found = new Map<string, KubeObject>();
  for (const informer of [...children, machines as unknown as Informer<KubeObject>])
    for (const object of informer.store.byIndex(byOwner, uid)) found.set(childId(informer.type, object.metadata.name), object);
  return found;
}

type Keys = readonly string[];

/** The workspaces each object concerns. */
export const workspacesOf = {
  image: ({ workspaces }: WorkspaceInformers, { metadata }: VMDiskImage): Keys =>
    workspaces.store.keysByIndex(byImage, metadata.name),
  pod: ({ workspaces }: WorkspaceInformers, pod: Pod): Keys =>
    labelOf(pod).flatMap((label) => workspaces.store.keysByIndex(byLabel, label)),
  /** By name, not owner: one whose name is taken waits for the other to go. */
  namespace: ({ workspaces }: WorkspaceInformers, { metadata }: KubeObject): Keys =>
    workspaces.store.keysByIndex(byNamespace, metadata.name ?? ''),
  pullSecret: ({ workspaces }: WorkspaceInformers, { metadata }: Secret): Keys =>
    workspaces.store.keysByIndex(byPullSecret, metadata.name ?? ''),
};

/** Whether another workspace, which is not on its way out, wants the image too. */
export const isWantedElsewhere = ({ workspaces }: WorkspaceInformers, image: string, uid: string): boolean =>
  workspaces.store
    .byIndex(byImage, image)
    .some(({ metadata }) => metadata.uid !== uid && metadata.deletionTimestamp === undefined);
