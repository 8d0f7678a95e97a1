/** Names of what a WorkspaceInstance owns. There is one instance in a namespace, so most are fixed words. */
import { childName, toLabel } from './label.ts';
import { maxWorkspaceNameLength } from './workspace.ts';

/** Deployment, Service, ServiceAccount, NetworkPolicy, LimitRange and ResourceQuota of an instance. */
export const instanceWorkloadName = 'workspace';

/** The claim of the student's home directory. */
export const instanceHomeClaimName = 'workspace-home';

/** The Secret with the kubeconfig that is mounted into the workspace. */
export const instanceKubeconfigSecretName = 'workspace-kubeconfig';

/** The nested cluster: its StatefulSet and Service, so not the workload's name; vcluster derives `vc-cluster` and others from it. */
export const instanceClusterName = 'cluster';

/** The separate namespace of an instance in a shared cluster: `<namespace>-shared`. */
export const sharedClusterNamespace = (instanceNamespace: string): string => childName(instanceNamespace, 'shared');

/** The cluster-scoped Workspace of an instance: its namespace's name, with a hash when longer than a Workspace's may be. */
export const instanceWorkspaceName = (instanceNamespace: string): string =>
  toLabel(instanceNamespace, { max: maxWorkspaceNameLength });
