import { join } from 'node:path';
import type { NodeLayout } from '../layout.ts';
import { nodeNetwork } from '../network.ts';

/** Names of Services from the cluster, all others from where this machine asks. */
export function corefile(layout: NodeLayout): string {
  return `.:53 {
    bind ${nodeNetwork.address}
    errors
    kubernetes ${nodeNetwork.domain} in-addr.arpa ip6.arpa {
        kubeconfig ${join(layout.pki, 'coredns.kubeconfig')} terrain
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 5
    }
    forward . /etc/resolv.conf
    cache 30
}
`;
}
