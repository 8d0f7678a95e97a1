/** OVN-Kubernetes: a layer 2 overlay that reaches every node. */
import { overlayNetworkName } from '@terrain/api';
import type { NetworkBackend } from './backend.ts';

/** Without `subnets`: only then the address of the attachment is taken, instead of one that OVN chooses. */
export const ovnKubernetes: NetworkBackend = {
  machineConfig: ({ workspaceUid, namespace, network }) => ({
    cniVersion: '1.0.0',
    // Global in the cluster: two definitions with one name would be one network.
    name: overlayNetworkName(workspaceUid, network.name),
    type: 'ovn-k8s-cni-overlay',
    topology: 'layer2',
    netAttachDefName: `${namespace}/${network.name}`,
  }),
};
