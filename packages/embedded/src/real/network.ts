import { clusterRanges } from '#control-plane/arguments.ts';

/** Addresses and names of the node's own network. The API server advertises the address of the pod bridge, so the two belong together. */
export const nodeNetwork = {
  /** The bridge that every pod hangs on; at most 15 characters, as the kernel wants. */
  bridge: 'terrain0',
  address: '10.244.0.1',
  prefixLength: 24,
  podRange: '10.244.0.0/24',
  serviceRange: clusterRanges.serviceRange,
  clusterRange: clusterRanges.podRange,
  dnsService: '10.96.0.10',
  domain: 'cluster.local',
  /** The name of the pods' network, in the plugins' configuration and as a NetworkAttachmentDefinition. */
  cniName: 'terrain-pods',
} as const;
