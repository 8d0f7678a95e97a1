/** The definitions of a workspace's networks. */
import { annotations, containerNetworkName, type WorkspaceNetwork } from '@terrain/api';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { type NetworkDefinition, networkApiVersion, networkType } from '#platform/network.ts';
import { backends, type NetworkPlace } from './backend/backend.ts';
import { namespaceOf, ownerOf, ownLabels } from './facts.ts';
import type { StoredWorkspace, WorkspacePolicy } from './snapshot.ts';

export type DesiredObject = { readonly type: ResourceType; readonly desired: KubeObject };

/** Everything one network consists of. */
export function desiredNetwork(
  workspace: StoredWorkspace,
  network: WorkspaceNetwork,
  { networkBackend }: WorkspacePolicy,
): readonly DesiredObject[] {
  const backend = backends[networkBackend];
  const place: NetworkPlace = { workspaceUid: workspace.metadata.uid, namespace: namespaceOf(workspace), network };
  const forContainers = backend.containerConfig?.(place);
  return [
    ...(backend.objects?.(place) ?? []).map(({ type, object }) => ({ type, desired: ofWorkspace(workspace, object) })),
    definition(workspace, network.name, backend.machineConfig(place), {
      [annotations.network]: JSON.stringify(factsOf(network)),
    }),
    ...(forContainers === undefined ? [] : [definition(workspace, containerNetworkName(network.name), forContainers)]),
  ];
}

/** The definition a container is attached to. */
export const attachedDefinition = ({ networkBackend }: WorkspacePolicy, network: string): string =>
  backends[networkBackend].containerConfig === undefined ? network : containerNetworkName(network);

function definition(
  workspace: StoredWorkspace,
  name: string,
  config: unknown,
  notes: Readonly<Record<string, string>> = {},
): DesiredObject {
  const object: NetworkDefinition = {
    apiVersion: networkApiVersion,
    kind: 'NetworkAttachmentDefinition',
    metadata: { name, namespace: namespaceOf(workspace), ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }) },
    spec: { config: JSON.stringify(config) },
  };
  return { type: networkType, desired: ofWorkspace(workspace, object) };
}

function ofWorkspace(workspace: StoredWorkspace, object: KubeObject): KubeObject {
  const metadata = { ...object.metadata, labels: ownLabels(workspace), ownerReferences: [ownerOf(workspace)] };
  return { ...object, metadata };
}

/** What a guest cannot learn from its network card. */
function factsOf({ cidr, rangeGateway, nameservers, routes = [] }: WorkspaceNetwork): Record<string, unknown> {
  return {
    cidr,
    ...(rangeGateway === undefined ? {} : { gateway: rangeGateway }),
    nameservers: nameservers?.addresses ?? [],
    routes: routes.map(({ destinationNetworkCidr, nextHopIpAddress }) => ({ destinationNetworkCidr, nextHopIpAddress })),
  };
}
