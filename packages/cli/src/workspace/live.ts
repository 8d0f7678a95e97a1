/** Reads workspaces and everything that belongs to them from a cluster. */
import { defaultImageNamespace, labels, type Workspace, workspaceKind, workspaceNamespace } from '@terrain/api';
import {
  ApiError,
  type Connection,
  isNotFound,
  type KubeList,
  type KubeObject,
  Resource,
  type ResourceType,
  resourcePath,
} from '@terrain/runtime';
import { imagesOf, readLedger } from '../cluster/images.ts';
import { CommandError } from '../output/exit.ts';

const { group, version, plural } = workspaceKind;
export const workspaceType: ResourceType = { group, version, plural, namespaced: false };
export const namespaceType: ResourceType = { group: '', version: 'v1', plural: 'namespaces', namespaced: false };

export const workspacesOf = (connection: Connection): Resource<Workspace> => new Resource<Workspace>(connection, workspaceType);

export function noWorkspace(name: string): CommandError {
  return new CommandError(`there is no workspace ${name}; \`terrain workspace list\` shows those there are.`);
}

export async function getWorkspace(connection: Connection, name: string): Promise<Workspace> {
  return workspacesOf(connection)
    .get({ name })
    .catch((error: unknown) => {
      throw isNotFound(error) && (error as ApiError).reason === 'NotFound' ? noWorkspace(name) : error;
    });
}

/** A kind workspaces are made of. */
export interface ChildKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: ResourceType;
}

/** Kinds a workspace is made of, in the order they are shown. */
export const childKinds: readonly ChildKind[] = [
  ['pelotech.ot/v1alpha1', 'VirtualMachine', 'virtualmachines'],
  ['k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'network-attachment-definitions'],
  ['v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'],
  ['cdi.kubevirt.io/v1beta1', 'DataVolume', 'datavolumes'],
  ['kubevirt.io/v1', 'VirtualMachine', 'virtualmachines'],
  ['kubevirt.io/v1', 'VirtualMachineInstance', 'virtualmachineinstances'],
  ['apps/v1', 'Deployment', 'deployments'],
  ['apps/v1', 'ReplicaSet', 'replicasets'],
  ['batch/v1', 'Job', 'jobs'],
  ['v1', 'Pod', 'pods'],
  ['v1', 'Service', 'services'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'],
  ['v1', 'Secret', 'secrets'],
].map(([apiVersion = '', kind = '', name = '']) => {
  const [first = '', second] = apiVersion.split('/');
  const type = { group: second === undefined ? '' : first, version: second ?? first, plural: name, namespaced: true };
  return { apiVersion, kind, type };
});

/** How people name a kind they may not look at. */
export const kindText = ({ type }: ChildKind): string => `${type.plural}${type.group === '' ? '' : `.${type.group}`}`;

/** Objects found, and the kinds that may not be looked at. */
export interface Found {
  readonly objects: readonly KubeObject[];
  readonly forbidden: readonly string[];
}

/** All objects in a namespace of the kinds a workspace is made of. Kinds the cluster does not have are left out. */
export async function objectsIn(connection: Connection, namespace: string): Promise<Found> {
  const forbidden: string[] = [];
  const lists = await Promise.all(
    childKinds.map(async (childKind): Promise<readonly KubeObject[]> => {
      const { apiVersion, kind, type } = childKind;
      // What is in a Secret is nobody's business here.
      const accept = kind === 'Secret' ? { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } : {};
      try {
        const list = await connection.request<KubeList<KubeObject>>({
          method: 'GET',
          path: resourcePath(type, { namespace }),
          ...accept,
        });
        // An empty list of metadata comes as null.
        return ((list.items ?? []) as readonly KubeObject[]).map((item) => ({ ...item, apiVersion, kind }));
      } catch (error) {
        if (isNotFound(error)) return [];
        if (!(error instanceof ApiError) || error.code !== 403) throw error;
        forbidden.push(kindText(childKind));
        return [];
      }
    }),
  );
  return { objects: lists.flat(), forbidden };
}

/** Those objects that carry the label of the workspace, and what they own. */
export function belonging(name: string, objects: readonly KubeObject[]): readonly KubeObject[] {
  const ours = new Set(
    objects.filter(({ metadata }) => metadata.labels?.[labels.workspace] === name).map(({ metadata }) => metadata.uid),
  );
  for (let size = -1; size !== ours.size; ) {
    size = ours.size;
    for (const { metadata } of objects)
      if (metadata.ownerReferences?.some(({ uid }) => ours.has(uid)) === true) ours.add(metadata.uid);
  }
  return objects.filter(({ metadata }) => ours.has(metadata.uid));
}

/** Everything of a workspace: its namespace's objects and the disk images of its machines. */
export async function partsOf(connection: Connection, workspace: Workspace): Promise<Found> {
  const { name } = workspace.metadata;
  const namespace = workspace.status?.namespace ?? workspaceNamespace(name);
  const [{ objects, forbidden }, images] = await Promise.all([
    objectsIn(connection, namespace),
    imagesFor(connection, workspace),
  ]);
  return { objects: [...images.objects, ...belonging(name, objects)], forbidden: [...forbidden, ...images.forbidden] };
}

async function imagesFor(connection: Connection, { spec }: Workspace): Promise<Found> {
  if ((spec.vms ?? []).length === 0) return { objects: [], forbidden: [] };
  const namespace = await imageNamespace(connection);
  try {
    const { items } = await imagesOf(connection).list({ namespace });
    return { objects: imagesAmong(spec, items as unknown as readonly KubeObject[]), forbidden: [] };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 403) throw error;
    return { objects: [], forbidden: [kindText(imageKind)] };
  }
}

export const imageKind: ChildKind = {
  apiVersion: 'pelotech.ot/v1alpha1',
  kind: 'VMDiskImage',
  type: { group: 'pelotech.ot', version: 'v1alpha1', plural: 'vmdiskimages', namespaced: true },
};

/** The namespace disk images are kept in. */
export async function imageNamespace(connection: Connection): Promise<string> {
  const ledger = await readLedger(connection);
  return (typeof ledger === 'string' ? undefined : ledger.policy.get('imageNamespace')) || defaultImageNamespace;
}

/** The images the machines of a workspace boot from. */
export function imagesAmong({ vms = [] }: Workspace['spec'], images: readonly KubeObject[]): readonly KubeObject[] {
  const wanted = new Set(vms.map(({ backingVMDiskImage }) => backingVMDiskImage));
  const { apiVersion, kind } = imageKind;
  return images.filter(({ metadata }) => wanted.has(metadata.name ?? '')).map((image) => ({ ...image, apiVersion, kind }));
}
