import { join } from 'node:path';
import type { NodeLayout } from '../layout.ts';
import { nodeNetwork } from '../network.ts';

/** The firewall alone: routes and Services are others' work. */
export function kubeRouterArguments(layout: NodeLayout): string[] {
  return [
    `--kubeconfig=${join(layout.pki, 'kube-router.kubeconfig')}`,
    `--hostname-override=${layout.name}`,
    '--run-firewall=true',
    '--run-router=false',
    '--run-service-proxy=false',
    '--run-loadbalancer=false',
    `--service-cluster-ip-range=${nodeNetwork.serviceRange}`,
    '--health-port=0',
    '--metrics-port=0',
  ];
}
