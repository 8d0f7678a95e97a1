/** Where kinds of ours that several controllers work with are in the API. */
import { virtualMachineKind, vmDiskImageKind, workspaceKind } from '@terrain/api';
import type { ResourceType } from '@terrain/runtime';

const typeOf = ({ group, version, plural }: Omit<ResourceType, 'namespaced'>, namespaced: boolean): ResourceType => ({
  group,
  version,
  plural,
  namespaced,
});

export const imageType: ResourceType = typeOf(vmDiskImageKind, true);
export const machineType: ResourceType = typeOf(virtualMachineKind, true);
export const workspaceType: ResourceType = typeOf(workspaceKind, false);
