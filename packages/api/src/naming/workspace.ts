/**
 * Names of what a Workspace owns. Each kind of object has its own ending within the workspace's namespace, so a VM, a cluster, a
 * volume and a pull secret of one name never claim the same child.
 */
import { childName, toLabel } from './label.ts';

/** Longest name a Workspace may have: its namespace puts `workspace-` in front. */
export const maxWorkspaceNameLength = 53;

/** The namespace a Workspace lives in. The name's bound is enforced at admission, so this is never shortened there. */
export const workspaceNamespace = (workspace: string): string => toLabel(`workspace-${workspace}`);

/** The isolation of a workspace's namespace from everything else in the cluster. */
export const isolationPolicyName = 'workspace-isolation';

/**
 * The second definition of a network, for containers, where a backend has to treat them otherwise than machines. Hashed, because
 * people may call a network of theirs anything; the first definition has the network's own name.
 */
export const containerNetworkName = (network: string): string => childName(network, 'for', 'containers');

/** The Deployment of a container cluster. */
export const clusterDeploymentName = (cluster: string): string => toLabel(cluster);

/** The Service that leads to a container cluster, and its host name in the lab: a Service's name begins with a letter. */
export const clusterServiceName = (cluster: string): string => toLabel(cluster, { letterFirst: true });

/** The claim of a volume. */
export const volumeClaimName = (volume: string): string => childName(volume, 'volume');

/** The Job that fills a volume once from the content image. */
export const volumeSeedJobName = (volume: string): string => childName(volume, 'seed');

/** The Secret that holds the passwords of a machine's users, which the Workspace's author wrote in plain text. */
export const passwordSecretName = (machine: string): string => childName(machine, 'passwords');

/** The copy of an image pull secret in a namespace of ours. */
export const pullSecretName = (secret: string): string => childName(secret, 'pull');

/** The key pair with which the deploy roles reach the workspace's machines. */
export const deployKeySecretName = 'workspace-deploykey';

/** The inventory and playbook of one set of deploy roles, known by its hash. */
export const deployPlanSecretName = (planHash: string): string => childName(`deploy-${toLabel(planHash, { max: 40 })}`, 'plan');

/** The Job that applies one set of deploy roles. A Job cannot be changed, so another set is another Job. */
export const deployJobName = (planHash: string): string => childName(`deploy-${toLabel(planHash, { max: 40 })}`, 'run');
