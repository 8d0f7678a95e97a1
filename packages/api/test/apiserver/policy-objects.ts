/** Legal objects of every kind, small, for policies to judge. */
import { kinds } from '@terrain/api';
import type { KubeObject } from '@terrain/runtime';

/** Where images of Workspaces live; the default of the sync policy. */
export const farm = 'vmdi-farm';
/** A namespace of ordinary people. */
export const team = 'team-a';
/** Where the machines of the Workspace that tests write would be. */
export const labNamespace = 'workspace-lab';

/** Where the operator is, and the pull secrets it copies. */
export const operatorHome = 'sync-operator';

/** An object with the parts that tests change. */
export type Subject = KubeObject & { readonly spec: Record<string, unknown> };

/** A source as a VMDiskImage spec writes it. */
export type Source = Readonly<Record<string, unknown>>;

const api = (kind: string) => kinds.find((definition) => definition.kind === kind)!;

function object(kind: string, name: string, spec: Record<string, unknown>, namespace = team): Subject {
  const { group, version, scope } = api(kind);
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, ...(scope === 'Namespaced' ? { namespace } : {}) },
    spec,
  };
}

/** The path of an object's collection, or of the object itself. */
export function pathOf({ kind, metadata }: KubeObject, what: 'collection' | 'object' = 'object'): string {
  const { group, version, plural } = api(kind);
  const namespace = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `/apis/${group}/${version}${namespace}/${plural}${what === 'object' ? `/${metadata.name}` : ''}`;
}

const resources = { cpu: '1', memory: '1Gi' };

/** A download from a public host. */
export const publicSource: Source = { url: 'https://images.example.com/disk.qcow2', sourceType: 'http', diskSize: '1Gi' };

export const anImage = (spec: Source = publicSource, namespace = team): Subject =>
  object('VMDiskImage', 'image', spec, namespace);

export const aDataSync = (items: readonly Source[], more: Record<string, unknown> = {}): Subject =>
  object('DataSync', 'sync', { workspaceId: '035', vms: items.map((item, n) => ({ name: `vm-${n}`, ...item })), ...more });

export const aMachine = (more: Record<string, unknown> = {}): Subject =>
  object('VirtualMachine', 'machine', { resources, vmDiskImageRef: { name: 'demo-vmdi' }, ...more });

export const aWorkspace = (machines: readonly Record<string, unknown>[], more: Record<string, unknown> = {}): Subject =>
  object('Workspace', 'lab', { ...labSpec(machines), ...more });

export const aTemplate = (machines: readonly Record<string, unknown>[], more: Record<string, unknown> = {}): Subject =>
  object('WorkspaceTemplate', 'workshop', {
    defaults: { lifecycle: { mode: 'ephemeral', ttl: '2h' } },
    workspace: labSpec(machines),
    ...more,
  });

const anInstance = (): Subject =>
  object('WorkspaceInstance', 'student', { templateRef: { name: 'workshop' }, owner: 'student-42' });

const labSpec = (machines: readonly Record<string, unknown>[]) => ({
  vms: machines.map((machine, n) => ({ name: `vm-${n}`, resources, backingVMDiskImage: 'demo-vmdi', ...machine })),
});

/** Every kind that can hold a source, with one source in it. */
export const holders: Readonly<Record<string, { path: string; with: (source: Source) => Subject }>> = {
  VMDiskImage: { path: 'spec', with: (source) => anImage(source) },
  DataSync: { path: 'spec.vms[vm-0]', with: (source) => aDataSync([source]) },
  VirtualMachine: { path: 'spec.vmDiskImageTemplate', with: (source) => aMachine({ vmDiskImageTemplate: source }) },
  Workspace: { path: 'spec.vms[vm-0].vmDiskImageTemplate', with: (source) => aWorkspace([{ vmDiskImageTemplate: source }]) },
  WorkspaceTemplate: {
    path: 'spec.workspace.vms[vm-0].vmDiskImageTemplate',
    with: (source) => aTemplate([{ vmDiskImageTemplate: source }]),
  },
};

/** One object of each kind. */
export const everyKind = (): Subject[] => [
  anImage(),
  aDataSync([publicSource]),
  aMachine(),
  aWorkspace([{}]),
  aTemplate([{}]),
  anInstance(),
];
