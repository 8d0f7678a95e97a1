import { dataSyncKind } from './datasync/kind.ts';
import type { KindDefinition } from './kind.ts';
import { virtualMachineKind } from './virtualmachine/kind.ts';
import { vmDiskImageKind } from './vmdiskimage/kind.ts';
import { workspaceKind } from './workspace/kind.ts';
import { workspaceInstanceKind } from './workspaceinstance/kind.ts';
import { workspaceTemplateKind } from './workspacetemplate/kind.ts';

/** Every kind of the product, in the order of their dependence. */
export const kinds: readonly KindDefinition[] = [
  vmDiskImageKind,
  dataSyncKind,
  virtualMachineKind,
  workspaceKind,
  workspaceTemplateKind,
  workspaceInstanceKind,
];
