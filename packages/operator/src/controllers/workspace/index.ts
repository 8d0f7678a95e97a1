/** The Workspace controller: what it watches, and who is woken by what. */
import { labels, type VirtualMachine, type VMDiskImage, type Workspace } from '@terrain/api';
import { type ApiTransport, type Controller, type KubeObject, keyOf, type Manager } from '@terrain/runtime';
import { imageType, machineType, workspaceType } from '#controllers/shared/kind.ts';
import { namespaceType, podType, type Secret, type StorageClass, secretType, storageClassType } from '#platform/core.ts';
import { subnetType } from '#platform/kube-ovn.ts';
import { networkType } from '#platform/network.ts';
import { PlatformWait } from '#platform/platform-wait.ts';
import type { Pod } from '#platform/workload.ts';
import { childTypes } from './children.ts';
import { imageNews, podNews } from './news.ts';
import { addIndexes, type WorkspaceInformers, workspacesOf } from './observe.ts';
import type { Deps } from './pass.ts';
import { QuietTime } from './quiet-time.ts';
import { reconcileWorkspace } from './reconcile.ts';
import type { WorkspacePolicy } from './snapshot.ts';
import { Strangers } from './strangers.ts';

export interface WorkspaceControllerOptions extends Pick<Deps, 'ready' | 'serverNow' | 'policy' | 'clusterRanges' | 'namespace'> {
  readonly manager: Manager;
  /** As the manager's, and learning the server's time. */
  readonly api: ApiTransport;
  readonly workers: number;
}

export interface WorkspaceController {
  readonly controller: Controller<Workspace>;
  /** To be told when another policy is in force. */
  readonly policyChanged: (policy: WorkspacePolicy, before: WorkspacePolicy) => void;
}

function informersOf({ informers }: Manager, namespace: string): WorkspaceInformers {
  const ofWorkspaces = { labelSelector: labels.workspace };
  return {
    workspaces: informers.get<Workspace>(workspaceType),
    images: informers.get<VMDiskImage>(imageType),
    machines: informers.get<VirtualMachine>(machineType),
    children: childTypes.filter((type) => type !== machineType).map((type) => informers.get<KubeObject>(type, ofWorkspaces)),
    networks: informers.get<KubeObject>(networkType, ofWorkspaces),
    subnets: informers.get<KubeObject>(subnetType, ofWorkspaces),
    pods: informers.get<Pod>(podType, ofWorkspaces),
    namespaces: informers.get<KubeObject>(namespaceType, { metadataOnly: true }),
    ownSecrets: informers.get<Secret>(secretType, { namespace }),
    storageClasses: informers.get<StorageClass>(storageClassType),
  };
}

/** Adds the controller to a manager. */
export function addWorkspaceController(options: WorkspaceControllerOptions): WorkspaceController {
  const { manager, api, workers, ...sources } = options;
  const informers = informersOf(manager, sources.namespace);
  addIndexes(informers);
  const { networks, subnets, workspaces } = informers;
  const platform = new PlatformWait([networks, subnets], (key) => controller.queue.add(key));
  const deps: Deps = {
    ...sources,
    informers,
    api,
    quiet: new QuietTime(),
    strangers: new Strangers(),
    record: (object, happening) => manager.events.record(object, happening),
    awaitPlatform: (key, isWaiting) => platform.set(key, isWaiting),
  };
  const controller: Controller<Workspace> = manager.controller<Workspace>({
    name: 'workspace',
    for: workspaces,
    workers,
    reconcile: ({ name }, { writer, signal }) => reconcileWorkspace({ deps, key: name, writer, signal }),
  });
  const gathering = { gatherMs: () => deps.quiet.gatherMs() };
  for (const informer of informers.children) controller.owns(informer, gathering);
  controller
    .owns(informers.machines, gathering)
    .watches(informers.images, (image) => workspacesOf.image(informers, image), imageNews)
    .watches(informers.pods, (pod) => workspacesOf.pod(informers, pod), podNews)
    .watches(informers.namespaces, (found) => workspacesOf.namespace(informers, found))
    .watches(informers.ownSecrets, (secret) => workspacesOf.pullSecret(informers, secret));
  informers.storageClasses.onChange(() => platform.wakeAll());
  const wakeAll = (): void => {
    for (const workspace of workspaces.store.values()) controller.queue.add(keyOf(workspace), 'background');
  };
  // The namespace of the images is named by the policy, so it concerns all who wait for images there.
  informers.namespaces.onChange((change) => {
    if (change.type === 'updated') return;
    const object = change.type === 'deleted' ? change.old : change.new;
    if (object.metadata.name === deps.policy().imageNamespace) wakeAll();
  });
  const concerning = (policy: WorkspacePolicy): string => JSON.stringify(policyKeys.map((policyKey) => policy[policyKey]));
  return {
    controller,
    policyChanged: (policy, before) => {
      if (concerning(policy) !== concerning(before)) wakeAll();
    },
  };
}

/** What of the policy a workspace depends on. */
const policyKeys: readonly (keyof WorkspacePolicy)[] = [
  'imageNamespace',
  'imageUrlTemplate',
  'imageSourceType',
  'imageStorageClass',
  'imageSnapshotClass',
  'imageSecretRef',
  'defaultDiskSize',
  'ansibleImage',
  'networkBackend',
];
