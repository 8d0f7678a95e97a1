/** The command lines of the control plane's processes. Pure: a layout in, arguments out. */

/** Addresses of the cluster's inside. Nothing routes to them on this machine unless a real node is added. */
const network = {
  serviceRange: '10.96.0.0/16',
  serviceAddress: '10.96.0.1',
  podRange: '10.244.0.0/16',
  /** Where a real node's pods would find the API server: the pod bridge. Never loopback, which endpoints may not hold. */
  advertiseAddress: '10.244.0.1',
} as const;

/** The ranges pods and Services have their addresses from, and where the DNS of a real node answers. */
export const clusterRanges = {
  podRange: network.podRange,
  serviceRange: network.serviceRange,
  dnsServer: network.advertiseAddress,
} as const;

/** Names and addresses under which clients reach the API server: all of them are in its certificate. */
export const apiServerNames = [
  'localhost',
  '127.0.0.1',
  network.advertiseAddress,
  network.serviceAddress,
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
] as const;

/**
 * etcd listens on UNIX sockets only, named relative to its working directory (a socket's path may have at most 107 bytes,
 * a home may be deeper). No port can collide, and the directory's mode keeps other users of the machine out.
 */
export function etcdArguments(options: { readonly throwAway: boolean }): string[] {
  return [
    '--name=terrain',
    '--data-dir=data',
    '--listen-client-urls=unix://client:1',
    '--advertise-client-urls=unix://client:1',
    '--listen-peer-urls=unix://peer:1',
    '--initial-advertise-peer-urls=unix://peer:1',
    '--initial-cluster=terrain=unix://peer:1',
    '--quota-backend-bytes=4294967296',
    '--auto-compaction-retention=0',
    '--log-level=warn',
    // Losing power may lose data that no test needs; a home keeps the safe default.
    ...(options.throwAway ? ['--unsafe-no-fsync'] : []),
  ];
}

export interface ApiServerOptions {
  readonly port: number;
  /** Directory of the certificates, relative to the working directory or absolute. */
  readonly pki: string;
  readonly etcd: string;
  readonly throwAway: boolean;
}

export function apiServerArguments({ port, pki, etcd, throwAway }: ApiServerOptions): string[] {
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--advertise-address=${network.advertiseAddress}`,
    `--etcd-servers=${etcd}`,
    `--tls-cert-file=${pki}/apiserver.crt`,
    `--tls-private-key-file=${pki}/apiserver.key`,
    `--client-ca-file=${pki}/ca.crt`,
    `--service-account-key-file=${pki}/sa.pub`,
    `--service-account-signing-key-file=${pki}/sa.key`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-cluster-ip-range=${network.serviceRange}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    // How it asks a real node's kubelet for logs and terminals.
    `--kubelet-client-certificate=${pki}/apiserver-kubelet-client.crt`,
    `--kubelet-client-key=${pki}/apiserver-kubelet-client.key`,
    `--kubelet-certificate-authority=${pki}/ca.crt`,
    '--kubelet-preferred-address-types=InternalIP',
    // How it tells an API server behind it, such as CDI's, on whose behalf it asks; an authority of its own keeps everybody else from claiming that.
    `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki}/front-proxy-client.crt`,
    `--proxy-client-key-file=${pki}/front-proxy-client.key`,
    // This machine has no way to a Service's address unless kube-proxy runs, but it may have one to the pods.
    '--enable-aggregator-routing=true',
    // With nobody to serve it to, the address of the API server would only be a write every few seconds.
    ...(throwAway ? ['--endpoint-reconciler-type=none'] : []),
  ];
}

export interface ClientOptions {
  /** Path of a kubeconfig file for the component's own user. */
  readonly kubeconfig: string;
  readonly pki: string;
}

export function controllerManagerArguments({ kubeconfig, pki }: ClientOptions): string[] {
  return [
    ...delegated(kubeconfig),
    `--root-ca-file=${pki}/ca.crt`,
    `--service-account-private-key-file=${pki}/sa.key`,
    `--cluster-signing-cert-file=${pki}/ca.crt`,
    `--cluster-signing-key-file=${pki}/ca.key`,
    '--use-service-account-credentials=true',
    // It makes a service account and a token for each of its controllers before they start: at the default of 20 requests a
    // second the first start takes five seconds longer.
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    '--allocate-node-cidrs=true',
    `--cluster-cidr=${network.podRange}`,
    `--service-cluster-ip-range=${network.serviceRange}`,
  ];
}

export function schedulerArguments({ kubeconfig }: Pick<ClientOptions, 'kubeconfig'>): string[] {
  return delegated(kubeconfig);
}

/** One of each, so no election; no port of their own, because their health shows in what they do. */
function delegated(kubeconfig: string): string[] {
  return [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
}
