/** What is to be done for a workspace. Pure: from what was observed, never from its own phase. */
import { deployKeySecretName, judgeTopology, type WorkspaceContainerCluster, type WorkspaceNetwork } from '@terrain/api';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { machineType } from '#controllers/shared/kind.ts';
import { remembered } from '#controllers/shared/remembered.ts';
import { isGoing } from '#controllers/shared/removal.ts';
import { claimType, namespaceType, secretType } from '#platform/core.ts';
import { networkPolicyType } from '#platform/isolation.ts';
import { deploymentType, jobType, serviceType } from '#platform/workload.ts';
import { childTypes } from './children.ts';
import { deploymentOf } from './cluster.ts';
import { deployUser, desiredDeploy, hasRunner, keySecretOf } from './deploy.ts';
import { desiredDeployment, desiredService } from './desired-cluster.ts';
import { desiredMachine, desiredPasswords } from './desired-machine.ts';
import { desiredIsolation, desiredNamespace, desiredPullSecret } from './desired-namespace.ts';
import { desiredNetwork } from './desired-network.ts';
import { desiredClaim, desiredSeedJob, isFilled, volumeAnnotations } from './desired-volume.ts';
import { isOwnNamespace, isPaused, namespaceOf } from './facts.ts';
import { type ImageState, imageStates } from './image.ts';
import { usablePullSecrets } from './pull-secret.ts';
import {
  type ComponentKind,
  childId,
  type Finding,
  no,
  type Snapshot,
  type StoredWorkspace,
  stuck,
  type WorkspacePolicy,
} from './snapshot.ts';
import { claimOf, filledFrom, isJobWanted, isUsable, seedJobOf } from './volume.ts';

/** The part of the workspace an object belongs to. */
export type Part = `${ComponentKind}/${string}` | 'namespace' | 'deploy';

/** An object that is to be there, as it is to be. */
export type Item = {
  readonly type: ResourceType;
  readonly desired: KubeObject;
  readonly observed: KubeObject | undefined;
  readonly part: Part;
  /** Made once and never changed: its kind does not allow it. */
  readonly isFixed?: true;
};

export type Plan = {
  /** Before anything else: what the rest is put into, and what keeps it apart from others. */
  readonly ground: readonly Item[];
  readonly images: readonly ImageState[];
  /** Networks and volumes, which wait for nothing. */
  readonly base: readonly Item[];
  /** Machines and containers, and what they cannot start without. */
  readonly rest: readonly Item[];
  /** A key pair is to be made, before the machines, which are told the public half. */
  readonly needsKey: boolean;
  /** Of this workspace, and not asked for any more. */
  readonly leftover: readonly { readonly type: ResourceType; readonly object: KubeObject }[];
};

export type Decision =
  | { readonly kind: 'remove' }
  /** Nothing can be done; `because` says why, and what runs is left as it is. */
  | { readonly kind: 'rest'; readonly because: Finding }
  | { readonly kind: 'work'; readonly plan: Plan };

export function decide(snapshot: Snapshot): Decision {
  const { workspace, namespace } = snapshot;
  if (isPaused(workspace))
    return {
      kind: 'rest',
      because: no('Paused', 'paused by the annotation pelotech.ot/paused: nothing is changed until it is removed'),
    };
  if (isGoing(workspace)) return { kind: 'remove' };
  const problems = topologyProblems(workspace.spec, snapshot.clusterRanges);
  if (problems.length > 0) return { kind: 'rest', because: stuck('Invalid', problems.map(({ message }) => message).join('; ')) };
  const text = `namespace ${namespaceOf(workspace)}`;
  if (namespace !== undefined && isGoing(namespace))
    return { kind: 'rest', because: no('NamespaceTerminating', `${text} is being deleted, and made again when it is gone`) };
  if (namespace !== undefined && !isOwnNamespace(snapshot)) return { kind: 'rest', because: namespaceTaken(text) };
  return { kind: 'work', plan: planOf(snapshot) };
}

const topologyProblems = remembered(judgeTopology);
const networkObjects = remembered((network: WorkspaceNetwork, workspace: StoredWorkspace, policy: WorkspacePolicy) =>
  desiredNetwork(workspace, network, policy),
);
const deploymentFor = remembered((cluster: WorkspaceContainerCluster, workspace: StoredWorkspace, policy: WorkspacePolicy) =>
  desiredDeployment(workspace, cluster, policy),
);

export const namespaceTaken = (text: string): Finding =>
  stuck(
    'NamespaceTaken',
    `${text} exists and does not belong to this workspace, so it is not touched; give the workspace another name, or delete that namespace`,
  );

function planOf(snapshot: Snapshot): Plan {
  const images = imageStates(snapshot);
  const ground = groundOf(snapshot);
  const base = [...networkItems(snapshot), ...volumeItems(snapshot)];
  const needsKey = hasRunner(snapshot) && keySecretOf(snapshot) === undefined;
  const machines = needsKey ? [] : machineItems(snapshot);
  const rest = isOpen(snapshot, images) ? [...machines, ...clusterItems(snapshot), ...deployItems(snapshot)] : [];
  const wanted = new Set([...ground, ...base, ...rest].map(({ type, desired }) => childId(type, desired.metadata.name)));
  for (const id of keptJobs(snapshot)) wanted.add(id);
  if (hasRunner(snapshot)) wanted.add(childId(secretType, deployKeySecretName));
  if (needsKey) for (const { name } of snapshot.workspace.spec.vms ?? []) wanted.add(childId(machineType, name));
  const leftover = [...snapshot.children].flatMap(([id, object]) => {
    const type = childTypes.find(({ plural }) => id.startsWith(`${plural}/`));
    return wanted.has(id) || isGoing(object) || type === undefined ? [] : [{ type, object }];
  });
  return { ground, images, base, rest, needsKey, leftover };
}

/**
 * Whether machines and containers may be made: when all images are ready. What stands already is not held up by an image that an
 * entry added later waits for.
 */
export function isOpen(snapshot: Snapshot, images: readonly ImageState[]): boolean {
  return images.every(({ finding }) => finding.status === 'True') || isStanding(snapshot);
}

const isStanding = ({ children }: Snapshot): boolean =>
  [...children.keys()].some((id) => id.startsWith(`${machineType.plural}/`) || id.startsWith(`${deploymentType.plural}/`));

function item(snapshot: Snapshot, part: Part, type: ResourceType, desired: KubeObject): Item {
  return { type, desired, observed: snapshot.children.get(childId(type, desired.metadata.name)), part };
}

function groundOf(snapshot: Snapshot): Item[] {
  const { workspace, namespace } = snapshot;
  // The cache holds nothing but the metadata of namespaces, under another kind.
  const observed = namespace === undefined ? undefined : { ...namespace, apiVersion: 'v1', kind: 'Namespace' };
  return [
    { type: namespaceType, desired: desiredNamespace(workspace), observed, part: 'namespace' },
    item(snapshot, 'namespace', networkPolicyType, desiredIsolation(workspace, snapshot.clusterRanges.dnsServers)),
    ...usablePullSecrets(snapshot).map((secret) => item(snapshot, 'namespace', secretType, desiredPullSecret(workspace, secret))),
  ];
}

function networkItems(snapshot: Snapshot): Item[] {
  const { workspace, policy, platform } = snapshot;
  if (!platform.hasNetworks || (policy.networkBackend === 'kube-ovn' && !platform.hasKubeOvn)) return [];
  return (workspace.spec.networks ?? []).flatMap((network) =>
    networkObjects(network, workspace, policy).map(({ type, desired }) =>
      item(snapshot, `Network/${network.name}`, type, desired),
    ),
  );
}

function volumeItems(snapshot: Snapshot): Item[] {
  const { workspace } = snapshot;
  return (workspace.spec.volumes ?? []).flatMap((volume) => {
    const part: Part = `Volume/${volume.name}`;
    const filled = filledFrom(snapshot, volume);
    const claim = item(snapshot, part, claimType, desiredClaim(workspace, volume, filled));
    const uid = claim.observed?.metadata.uid;
    if (!isFilled(workspace, volume) || filled !== undefined || uid === undefined || isGoing(claim.observed!)) return [claim];
    const job = seedJobOf(snapshot, volume);
    // One for a former claim of this name, or from another source, goes first.
    if (job !== undefined && !isJobWanted(snapshot, volume, job, claim.observed!)) return [claim];
    return [claim, { ...item(snapshot, part, jobType, desiredSeedJob(workspace, volume, uid)), isFixed: true }];
  });
}

/** A Job that filled a claim is removed only when the claim says so itself. */
function* keptJobs(snapshot: Snapshot): Generator<string> {
  for (const volume of snapshot.workspace.spec.volumes ?? []) {
    const claim = claimOf(snapshot, volume);
    const job = seedJobOf(snapshot, volume);
    if (job === undefined || claim === undefined || !isJobWanted(snapshot, volume, job, claim)) continue;
    if (claim.metadata.annotations?.[volumeAnnotations.filled] === undefined) yield childId(jobType, job.metadata.name);
  }
}

function machineItems(snapshot: Snapshot): Item[] {
  const { workspace, policy } = snapshot;
  return (workspace.spec.vms ?? []).flatMap((vm) => {
    const part: Part = `VirtualMachine/${vm.name}`;
    const passwords = desiredPasswords(workspace, vm);
    return [
      ...(passwords === undefined ? [] : [item(snapshot, part, secretType, passwords)]),
      item(snapshot, part, machineType, desiredMachine(workspace, vm, policy.imageNamespace, deployUser(snapshot, vm))),
    ];
  });
}

/** Volumes of the cluster that are not there yet, or are being filled. */
export function awaitedVolumes(snapshot: Snapshot, { containers }: WorkspaceContainerCluster): string[] {
  const mounted = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
  return (snapshot.workspace.spec.volumes ?? [])
    .filter((volume) => mounted.has(volume.name) && !isUsable(snapshot, volume))
    .map(({ name }) => name);
}

function clusterItems(snapshot: Snapshot): Item[] {
  const { workspace, policy } = snapshot;
  return (workspace.spec.containerClusters ?? []).flatMap((cluster) => {
    const part: Part = `ContainerCluster/${cluster.name}`;
    const service = desiredService(workspace, cluster);
    const reached = service === undefined ? [] : [item(snapshot, part, serviceType, service)];
    if (deploymentOf(snapshot, cluster) === undefined && awaitedVolumes(snapshot, cluster).length > 0) return reached;
    return [...reached, item(snapshot, part, deploymentType, deploymentFor(cluster, workspace, policy))];
  });
}

function deployItems(snapshot: Snapshot): Item[] {
  const wanted = desiredDeploy(snapshot);
  if (wanted === undefined) return [];
  return [item(snapshot, 'deploy', secretType, wanted.plan), { ...item(snapshot, 'deploy', jobType, wanted.job), isFixed: true }];
}
