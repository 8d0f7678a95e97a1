/** A workspace with everything it consists of, as a tree. */
import {
  containerNetworkName,
  labels,
  passwordSecretName,
  volumeClaimName,
  volumeSeedJobName,
  type Workspace,
} from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';
import { plain } from '../output/plain.ts';
import { stateOf } from './object-state.ts';

export interface TreeNode {
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly reason: string;
  readonly children: readonly TreeNode[];
}

interface Part {
  readonly kind: string;
  readonly name: string;
}

const keyOf = ({ kind, name }: Part): string => `${kind} ${name}`;

/** The parts the spec asks for, and after them those only the status knows: what is on its way out. */
function partsOf({ spec, status }: Workspace): readonly Part[] {
  const named = (kind: string, list: readonly { readonly name: string }[] = []): Part[] =>
    list.map(({ name }) => ({ kind, name }));
  const images = new Set((spec.vms ?? []).map(({ backingVMDiskImage }) => backingVMDiskImage));
  const parts = [
    ...[...images].map((name) => ({ kind: 'VMDiskImage', name })),
    ...named('Network', spec.networks),
    ...named('Volume', spec.volumes),
    ...named('VirtualMachine', spec.vms),
    ...named('ContainerCluster', spec.containerClusters),
  ];
  const known = new Set(parts.map(keyOf));
  return [...parts, ...(status?.components ?? []).filter((part) => !known.has(keyOf(part)))];
}

/** Which part an object was made for; undefined: for the workspace as a whole. */
function partOf({ kind, apiVersion, metadata }: KubeObject, { spec }: Workspace): string | undefined {
  const { name = '', labels: marks = {} } = metadata;
  const cluster = marks[labels.containerCluster];
  if (cluster !== undefined) return keyOf({ kind: 'ContainerCluster', name: cluster });
  if (kind === 'VMDiskImage') return keyOf({ kind, name });
  if (kind === 'VirtualMachine' && apiVersion.startsWith('pelotech.ot/')) return keyOf({ kind, name });
  const machine =
    marks[labels.virtualMachine] ?? spec.vms?.find((vm) => kind === 'Secret' && passwordSecretName(vm.name) === name)?.name;
  if (machine !== undefined) return keyOf({ kind: 'VirtualMachine', name: machine });
  if (kind === 'NetworkAttachmentDefinition') {
    // Containers may have a definition of their own.
    const network = spec.networks?.find((one) => name === containerNetworkName(one.name))?.name ?? name;
    return keyOf({ kind: 'Network', name: network });
  }
  const volume = spec.volumes?.find((one) => name === (kind === 'Job' ? volumeSeedJobName(one.name) : volumeClaimName(one.name)));
  if (volume !== undefined && (kind === 'Job' || kind === 'PersistentVolumeClaim'))
    return keyOf({ kind: 'Volume', name: volume.name });
  return kind === 'Deployment' || kind === 'Service' ? keyOf({ kind: 'ContainerCluster', name }) : undefined;
}

/**
 * The tree of a workspace from its spec, its status and the objects in the cluster.
 *
 * An object hangs below its owner, else below the part it was made for, else below the namespace. A part of the spec is shown also
 * while there is nothing of it yet.
 */
export function treeOf(workspace: Workspace, objects: readonly KubeObject[]): TreeNode {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const below = new Map<string, KubeObject[]>();
  const put = (key: string, object: KubeObject): void => void below.set(key, [...(below.get(key) ?? []), object]);
  const parts = partsOf(workspace);
  const known = new Set(parts.map(keyOf));
  for (const object of objects) {
    const owner = object.metadata.ownerReferences?.find(({ uid }) => uids.has(uid) && uid !== object.metadata.uid)?.uid;
    const part = partOf(object, workspace);
    put(owner ?? (part !== undefined && known.has(part) ? part : ''), object);
  }
  const nodeOf = (object: KubeObject): TreeNode => {
    const { kind, apiVersion, metadata } = object;
    const { uid = '', name = '', namespace } = metadata;
    const isForeign = kind === 'VirtualMachine' && !apiVersion.startsWith('pelotech.ot/');
    const isElsewhere = kind === 'VMDiskImage' && namespace !== undefined;
    return {
      kind: isForeign ? 'VirtualMachine.kubevirt.io' : kind,
      name: isElsewhere ? `${namespace}/${name}` : name,
      ...stateOf(object),
      children: (below.get(uid) ?? []).map(nodeOf),
    };
  };
  const { metadata, status } = workspace;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const components = new Map((workspace.status?.components ?? []).map((component) => [keyOf(component), component]));
  const partNodes = parts.map((part): TreeNode => {
    const component = components.get(keyOf(part));
    const objectsOfPart = (below.get(keyOf(part)) ?? []).map(nodeOf);
    // A machine or an image is its own object: one line for both.
    const itself = objectsOfPart.find(({ kind, name }) => kind === part.kind && name.split('/').at(-1) === part.name);
    const others = objectsOfPart.filter((node) => node !== itself);
    const children = [...(itself?.children ?? []), ...others];
    // What is left of it says more than a status that was written when all began to go. An image stays.
    if (isDeleting && part.kind !== 'VMDiskImage') {
      const state = objectsOfPart.length === 0 ? 'Gone' : 'Deleting';
      return { kind: part.kind, name: part.name, state, reason: itself?.state === 'Deleting' ? itself.reason : '', children };
    }
    const unsaid = itself?.reason ?? (component === undefined && others.length === 0 ? 'not there yet' : '');
    return {
      kind: part.kind,
      name: itself?.name ?? part.name,
      state: component?.phase ?? itself?.state ?? '-',
      reason: plain(component?.message ?? '') || unsaid,
      children,
    };
  });
  const progress = status?.ready === undefined ? '' : ` ${status.ready}`;
  return {
    kind: 'Workspace',
    name: metadata.name,
    state: isDeleting ? 'Deleting' : `${status?.phase ?? '-'}${progress}`,
    reason: plain(status?.message ?? 'the operator has not seen it yet'),
    children: [...partNodes, ...(below.get('') ?? []).map(nodeOf)],
  };
}

/** The tree for people, with the states in one column. */
export const renderTree = (root: TreeNode): string =>
  treeLines(root)
    .map((line) => `${line}\n`)
    .join('');

/** The lines of the tree, with the states in one column; labels that are longer than `widest` are cut. */
export function treeLines(root: TreeNode, widest = Number.POSITIVE_INFINITY): readonly string[] {
  const rows: { readonly label: string; readonly state: string; readonly reason: string }[] = [];
  const walk = (node: TreeNode, first: string, rest: string): void => {
    const label = cut(`${first}${node.kind} ${plain(node.name)}`, widest);
    rows.push({ label, state: node.state, reason: node.reason });
    for (const [index, child] of node.children.entries()) {
      const isLast = index === node.children.length - 1;
      walk(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
    }
  };
  walk(root, '', '');
  const [labelWidth, stateWidth] = [rows.map(({ label }) => label.length), rows.map(({ state }) => state.length)].map((widths) =>
    Math.max(...widths),
  ) as [number, number];
  return rows.map(({ label, state, reason }) => `${label.padEnd(labelWidth)}  ${state.padEnd(stateWidth)}  ${reason}`.trimEnd());
}

/** A line within a width. */
export const cut = (line: string, width: number): string => (line.length > width ? `${line.slice(0, width - 1)}…` : line);
