/** Linux bridges: for clusters of one node, since a bridge does not reach another one. */
import { bridgeName, containerNetworkName } from '@terrain/api';
import type { NetworkBackend, NetworkPlace } from './backend.ts';

/** No gateway and no masquerading: either would give the node an address on the bridge, and with it a way out of the lab. */
const common = ({ workspaceUid, network }: NetworkPlace): Record<string, unknown> => ({
  cniVersion: '1.0.0',
  type: 'bridge',
  bridge: bridgeName(workspaceUid, network.name),
  isGateway: false,
  ipMasq: false,
  macspoofchk: true,
});

export const bridge: NetworkBackend = {
  machineConfig: (place) => ({ ...common(place), name: place.network.name, capabilities: { mac: true }, ipam: {} }),
  // The plugin insists on an address once it has address management, so machines, which bring their own, have another definition.
  containerConfig: (place) => ({
    ...common(place),
    name: containerNetworkName(place.network.name),
    capabilities: { ips: true, mac: true },
    ipam: {
      type: 'static',
      routes: (place.network.routes ?? []).map(({ destinationNetworkCidr, nextHopIpAddress }) => ({
        dst: destinationNetworkCidr,
        gw: nextHopIpAddress,
      })),
    },
  }),
};
