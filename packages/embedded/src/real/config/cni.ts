import { join } from 'node:path';
import type { NodeLayout } from '../layout.ts';
import { nodeNetwork } from '../network.ts';

/** The network that every pod is on. */
export function podNetwork(layout: NodeLayout): object {
  return {
    cniVersion: '1.0.0',
    name: nodeNetwork.cniName,
    plugins: [
      {
        type: 'bridge',
        bridge: nodeNetwork.bridge,
        isGateway: true,
        ipMasq: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: layout.cni.data,
          ranges: [[{ subnet: nodeNetwork.podRange }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

/**
 * Multus before it, so that pods may have more networks, but only those of their own namespace.
 * The pods' network is given by name: given as a file, pods could be added but not removed.
 */
function multusNetwork(layout: NodeLayout): object {
  return {
    cniVersion: '1.0.0',
    name: 'multus-cni-network',
    plugins: [
      {
        type: 'multus',
        capabilities: { portMappings: true },
        kubeconfig: join(layout.pki, 'multus.kubeconfig'),
        binDir: layout.cni.plugins,
        confDir: layout.cni.config,
        cniDir: layout.cni.multus,
        clusterNetwork: nodeNetwork.cniName,
        namespaceIsolation: true,
        logFile: join(layout.logs, 'multus.log'),
        logLevel: 'verbose',
      },
    ],
  };
}

/** File name and content; the runtime takes the first in the order of the names. */
export function cniFiles(layout: NodeLayout): Readonly<Record<string, string>> {
  return {
    '00-multus.conflist': JSON.stringify(multusNetwork(layout), undefined, 2),
    '10-pods.conflist': JSON.stringify(podNetwork(layout), undefined, 2),
  };
}
