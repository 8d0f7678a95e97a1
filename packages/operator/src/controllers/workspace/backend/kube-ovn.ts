/** Kube-OVN: a Vpc of its own for every network, so that ranges may repeat, with one Subnet in it. */
import { overlayNetworkName } from '@terrain/api';
import { kubeOvnApiVersion, type Subnet, subnetType, type Vpc, vpcType } from '#platform/kube-ovn.ts';
import type { NetworkBackend, NetworkPlace } from './backend.ts';

const providerOf = ({ namespace, network }: NetworkPlace): string => `${network.name}.${namespace}.ovn`;

export const kubeOvn: NetworkBackend = {
  machineConfig: (place) => ({
    cniVersion: '1.0.0',
    type: 'kube-ovn',
    server_socket: '/run/openvswitch/kube-ovn-daemon.sock',
    provider: providerOf(place),
  }),
  objects: (place) => {
    const { network, workspaceUid, namespace } = place;
    const name = overlayNetworkName(workspaceUid, network.name);
    const vpc: Vpc = {
      apiVersion: kubeOvnApiVersion,
      kind: 'Vpc',
      metadata: { name },
      spec: { namespaces: [namespace] },
    };
    const subnet: Subnet = {
      apiVersion: kubeOvnApiVersion,
      kind: 'Subnet',
      metadata: { name },
      spec: {
        vpc: name,
        provider: providerOf(place),
        protocol: network.cidr.includes(':') ? 'IPv6' : 'IPv4',
        cidrBlock: network.cidr,
        ...(network.rangeGateway === undefined ? {} : { gateway: network.rangeGateway }),
        private: true,
        natOutgoing: false,
      },
    };
    return [
      { type: vpcType, object: vpc },
      { type: subnetType, object: subnet },
    ];
  },
};
