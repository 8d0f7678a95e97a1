/** Multus' NetworkAttachmentDefinition: only that it exists, and what its annotations say. */
import type { ResourceType } from '@terrain/runtime';

export const networkType: ResourceType = {
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  plural: 'network-attachment-definitions',
  namespaced: true,
};
