/**
 * Where each kind says which disk image is to be downloaded.
 *
 * VMDiskImage, DataSync, VirtualMachine, Workspace and WorkspaceTemplate all can: the same rules hold for a source wherever it is
 * written, so policies are made from this table, one per kind. One per kind rather than one for all, because the API server type-checks
 * an expression against the schema of each kind it is for.
 */
import { pelotechGroup, workshopGroup } from '#common/keys.ts';
import { sameField } from './cel.ts';

/** A kind that holds sources. Functions take and return CEL; `item` stands for one element of `items`. */
export type SourceHolder = {
  readonly kind: 'VMDiskImage' | 'DataSync' | 'VirtualMachine' | 'Workspace' | 'WorkspaceTemplate';
  readonly group: string;
  readonly plural: string;
  /** The list of things that may hold a source each; a list of one where the object itself does. */
  readonly items: (object: 'object' | 'oldObject') => string;
  /** Whether two items, now and before, are the same thing and stand for the same image. */
  readonly same: (now: string, before: string) => string;
  /** Whether an item holds a source. */
  readonly hasSource: (item: string) => string;
  readonly source: (item: string) => string;
  /** The path of the source for people. */
  readonly path: (item: string) => string;
};

const template = 'vmDiskImageTemplate';
const hasTemplate = (item: string) => `has(${item}.${template})`;
const templateOf = (item: string) => `${item}.${template}`;
const sameMachine = (now: string, before: string) =>
  `${before}.name == ${now}.name && ${sameField(now, before, 'backingVMDiskImage')}`;

/** All kinds that hold sources. */
export const sourceHolders: Readonly<Record<SourceHolder['kind'], SourceHolder>> = {
  VMDiskImage: {
    kind: 'VMDiskImage',
    group: pelotechGroup,
    plural: 'vmdiskimages',
    items: (object) => `[${object}.spec]`,
    same: () => 'true',
    hasSource: () => 'true',
    source: (item) => item,
    path: () => `'spec'`,
  },
  DataSync: {
    kind: 'DataSync',
    group: pelotechGroup,
    plural: 'datasyncs',
    items: (object) => `(has(${object}.spec.vms) ? ${object}.spec.vms : [])`,
    same: (now, before) => `${before}.name == ${now}.name`,
    hasSource: () => 'true',
    source: (item) => item,
    path: (item) => `'spec.vms[' + ${item}.name + ']'`,
  },
  VirtualMachine: {
    kind: 'VirtualMachine',
    group: pelotechGroup,
    plural: 'virtualmachines',
    items: (object) => `[${object}.spec]`,
    same: (now, before) => `${before}.vmDiskImageRef == ${now}.vmDiskImageRef`,
    hasSource: hasTemplate,
    source: templateOf,
    path: () => `'spec.${template}'`,
  },
  Workspace: {
    kind: 'Workspace',
    group: pelotechGroup,
    plural: 'workspaces',
    items: (object) => `(has(${object}.spec.vms) ? ${object}.spec.vms : [])`,
    same: sameMachine,
    hasSource: hasTemplate,
    source: templateOf,
    path: (item) => `'spec.vms[' + ${item}.name + '].${template}'`,
  },
  WorkspaceTemplate: {
    kind: 'WorkspaceTemplate',
    group: workshopGroup,
    plural: 'workspacetemplates',
    items: (object) => `(has(${object}.spec.workspace) && has(${object}.spec.workspace.vms) ? ${object}.spec.workspace.vms : [])`,
    same: sameMachine,
    hasSource: hasTemplate,
    source: templateOf,
    path: (item) => `'spec.workspace.vms[' + ${item}.name + '].${template}'`,
  },
};

/** The two lists every policy about a kind's items starts from. */
export const itemVariables = (holder: Pick<SourceHolder, 'items'>): Record<'now' | 'before', string> => ({
  now: holder.items('object'),
  before: `oldObject == null ? [] : ${holder.items('oldObject')}`,
});
