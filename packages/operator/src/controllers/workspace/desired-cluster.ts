/** The Deployment of a container cluster, and the Service that leads to it. */
import {
  clusterDeploymentName,
  clusterServiceName,
  labels,
  labelValue,
  macAddress,
  pullSecretName,
  volumeClaimName,
  type WorkspaceContainerCluster,
} from '@terrain/api';
import { type Attachment, attachmentsAnnotation } from '#platform/network.ts';
import { shownQuantity } from '#platform/quantity.ts';
import type { Container, Deployment, PodTemplate, PodVolume, Service } from '#platform/workload.ts';
import { attachedDefinition } from './desired-network.ts';
import { hash, isWantedRunning, namespaceOf, ownerOf, ownLabels } from './facts.ts';
import type { StoredWorkspace, WorkspacePolicy } from './snapshot.ts';

type ContainerSpec = WorkspaceContainerCluster['containers'][number];

/** How many pods the cluster should have. */
const replicasOf = (workspace: StoredWorkspace, { ignoreOnDeploy }: WorkspaceContainerCluster): number =>
  ignoreOnDeploy === true || !isWantedRunning(workspace) ? 0 : 1;

const selectorOf = (workspace: StoredWorkspace, { name }: WorkspaceContainerCluster): Record<string, string> => ({
  ...ownLabels(workspace),
  [labels.containerCluster]: labelValue(name),
});

export function desiredDeployment(
  workspace: StoredWorkspace,
  cluster: WorkspaceContainerCluster,
  policy: WorkspacePolicy,
): Deployment {
  const matchLabels = selectorOf(workspace, cluster);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: clusterDeploymentName(cluster.name),
      namespace: namespaceOf(workspace),
      labels: matchLabels,
      ownerReferences: [ownerOf(workspace)],
    },
    spec: {
      replicas: replicasOf(workspace, cluster),
      // Two pods at once would share one address.
      strategy: { type: 'Recreate' },
      selector: { matchLabels },
      template: podTemplate(workspace, cluster, policy, matchLabels),
    },
  };
}

function podTemplate(
  workspace: StoredWorkspace,
  cluster: WorkspaceContainerCluster,
  policy: WorkspacePolicy,
  podLabels: Record<string, string>,
): PodTemplate {
  const { imagePullSecrets = [] } = workspace.spec;
  const notes = networkNotes(workspace, cluster, policy);
  const nameservers = nameserversOf(workspace, cluster);
  const volumes = volumesOf(cluster);
  return {
    metadata: { labels: podLabels, ...(notes === undefined ? {} : { annotations: notes }) },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      ...(imagePullSecrets.length === 0
        ? {}
        : { imagePullSecrets: imagePullSecrets.map(({ name }) => ({ name: pullSecretName(name) })) }),
      ...(nameservers.length === 0 ? {} : { dnsPolicy: 'None', dnsConfig: { nameservers } }),
      containers: cluster.containers.map(containerOf),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

const networksHashAnnotation = 'pelotech.ot/networks-hash';

/** The attachments, and a fingerprint of the networks: a running pod learns nothing of a change, so it is replaced. */
function networkNotes(
  workspace: StoredWorkspace,
  cluster: WorkspaceContainerCluster,
  policy: WorkspacePolicy,
): Record<string, string> | undefined {
  const { interfaces = [] } = cluster;
  if (interfaces.length === 0) return undefined;
  const attachments: Attachment[] = interfaces.map(({ network, ipAddress, macAddress: given }, index) => ({
    name: attachedDefinition(policy, network),
    namespace: namespaceOf(workspace),
    interface: `net${index + 1}`,
    mac: given ?? macAddress(`${workspace.metadata.uid}/${cluster.name}`, network),
    ...(ipAddress === undefined ? {} : { ips: [ipAddress] }),
  }));
  const networks = networksOf(workspace, cluster);
  return {
    [attachmentsAnnotation]: JSON.stringify(attachments),
    [networksHashAnnotation]: hash([policy.networkBackend, networks]).slice(0, 16),
  };
}

const networksOf = ({ spec }: StoredWorkspace, { interfaces = [] }: WorkspaceContainerCluster) =>
  interfaces.flatMap(({ network }) => (spec.networks ?? []).filter(({ name }) => name === network));

/** Most a pod may have. */
const mostNameservers = 3;

/** Those of its networks, in the order of its cards. With none, the pod keeps the cluster's DNS. */
function nameserversOf(workspace: StoredWorkspace, cluster: WorkspaceContainerCluster): readonly string[] {
  const all = networksOf(workspace, cluster).flatMap(({ nameservers }) => nameservers?.addresses ?? []);
  return [...new Set(all)].slice(0, mostNameservers);
}

function volumesOf({ containers }: WorkspaceContainerCluster): PodVolume[] {
  const names = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
  return [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: volumeClaimName(name) } }));
}

function containerOf({ name, image, command, args, env, ...rest }: ContainerSpec): Container {
  const { volumeMounts = [], portMappings = [], resources, capabilities } = rest;
  const amounts = Object.fromEntries(Object.entries(resources ?? {}).map(([key, amount]) => [key, shownQuantity(amount)]));
  return {
    name,
    image,
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined || env.length === 0 ? {} : { env }),
    ...(Object.keys(amounts).length === 0 ? {} : { resources: { requests: amounts, limits: amounts } }),
    ...(portMappings.length === 0
      ? {}
      : {
          ports: unique(portMappings.map(({ containerPort, protocol }) => ({ containerPort, protocol: protocolOf(protocol) }))),
        }),
    ...(volumeMounts.length === 0
      ? {}
      : {
          volumeMounts: volumeMounts.map(({ name: volume, containerPath, readOnly }) => ({
            name: volume,
            mountPath: containerPath,
            ...(readOnly === true ? { readOnly } : {}),
          })),
        }),
    ...(capabilities === undefined ? {} : { securityContext: { capabilities } }),
  };
}

const protocolOf = (protocol = 'TCP'): string => protocol.toUpperCase();

/** One container port may be reached under several ports of the Service. */
const unique = <T>(items: readonly T[]): T[] => [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];

/** Undefined when nothing of the cluster is to be reached. A port of a node is never taken. */
export function desiredService(workspace: StoredWorkspace, cluster: WorkspaceContainerCluster): Service | undefined {
  const mappings = cluster.containers.flatMap(({ portMappings = [] }) => portMappings);
  if (mappings.length === 0) return undefined;
  const selector = selectorOf(workspace, cluster);
  const ports = mappings.map(({ containerPort, protocol, hostPort = containerPort }) => ({
    name: `${protocolOf(protocol).toLowerCase()}-${hostPort}`,
    port: hostPort,
    targetPort: containerPort,
    protocol: protocolOf(protocol),
  }));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: clusterServiceName(cluster.name),
      namespace: namespaceOf(workspace),
      labels: selector,
      ownerReferences: [ownerOf(workspace)],
    },
    spec: { selector, ports: unique(ports) },
  };
}
