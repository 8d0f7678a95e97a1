import { fileURLToPath } from 'node:url';

/** Programs that are needed together, so they are built together and cached as one. */
export interface BinaryGroup {
  readonly name: string;
  /** What a person reads while it is built. */
  readonly title: string;
  /** Directory below `go/` with the frozen go.mod and go.sum. */
  readonly module: string;
  /** Program name by the import path of its main package. */
  readonly programs: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  /** Values set by the linker, as `package.variable=value`. */
  readonly variables: readonly string[];
  /** Measured on two cores with empty caches; only for telling people what to expect. */
  readonly coldBuildMs: number;
  /** Free space a build with empty caches needs: modules, build cache and result. */
  readonly diskBytes: number;
}

export const kubernetesVersion = '1.36.3';
/** Chosen by the same module graph; a test holds it to go.mod. */
export const etcdVersion = '3.6.8';
export const kwokVersion = '0.8.0';

/** What a cluster of ours consists of. */
export const versions = { kubernetes: kubernetesVersion, etcd: etcdVersion, kwok: kwokVersion } as const;

const minuteMs = 60_000;
const gibibyte = 1024 ** 3;

const kubernetesVersionVariables = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
  `${path}.gitVersion=v${kubernetesVersion}`,
  `${path}.gitMajor=${kubernetesVersion.split('.')[0]}`,
  `${path}.gitMinor=${kubernetesVersion.split('.')[1]}`,
  `${path}.gitTreeState=clean`,
  `${path}.gitCommit=unknown`,
]);

const kubernetesTags = ['selinux', 'notest', 'grpcnotrace'] as const;

/** All groups. To add one: its module under `go/`, an entry here. */
export const groups = {
  core: {
    name: 'core',
    title: `Kubernetes ${kubernetesVersion}: etcd, API server, controller-manager, scheduler, kubectl`,
    module: 'kubernetes',
    programs: {
      'go.etcd.io/etcd/server/v3': 'etcd',
      'k8s.io/kubernetes/cmd/kube-apiserver': 'kube-apiserver',
      'k8s.io/kubernetes/cmd/kube-controller-manager': 'kube-controller-manager',
      'k8s.io/kubernetes/cmd/kube-scheduler': 'kube-scheduler',
      'k8s.io/kubernetes/cmd/kubectl': 'kubectl',
    },
    tags: kubernetesTags,
    variables: kubernetesVersionVariables,
    coldBuildMs: 9 * minuteMs,
    diskBytes: 6 * gibibyte,
  },
  sim: {
    name: 'sim',
    title: `kwok ${kwokVersion}: simulated nodes`,
    module: 'kwok',
    programs: { 'sigs.k8s.io/kwok/cmd/kwok': 'kwok' },
    tags: [],
    variables: [],
    coldBuildMs: 2 * minuteMs,
    diskBytes: 2 * gibibyte,
  },
  storage: {
    name: 'storage',
    title: 'Storage: csi-provisioner, csi-snapshotter, snapshot-controller, csi-resizer',
    module: 'storage',
    programs: {
      'github.com/kubernetes-csi/external-provisioner/v5/cmd/csi-provisioner': 'csi-provisioner',
      'github.com/kubernetes-csi/external-snapshotter/v8/cmd/csi-snapshotter': 'csi-snapshotter',
      'github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller': 'snapshot-controller',
      'github.com/kubernetes-csi/external-resizer/cmd/csi-resizer': 'csi-resizer',
    },
    tags: [],
    variables: [],
    coldBuildMs: 9 * minuteMs,
    diskBytes: 5 * gibibyte,
  },
  node: {
    name: 'node',
    title: `Kubernetes ${kubernetesVersion}: kubelet and kube-proxy for a real node`,
    module: 'kubernetes',
    programs: {
      'k8s.io/kubernetes/cmd/kubelet': 'kubelet',
      'k8s.io/kubernetes/cmd/kube-proxy': 'kube-proxy',
    },
    tags: kubernetesTags,
    variables: kubernetesVersionVariables,
    coldBuildMs: 5 * minuteMs,
    diskBytes: 4 * gibibyte,
  },
  'node-tools': {
    name: 'node-tools',
    title: 'Two small programs of our own: the first process of a pod, and the keeper of bridges',
    module: 'node-tools',
    programs: {
      'terrain.dev/embedded/node-tools/pause': 'pause',
      'terrain.dev/embedded/node-tools/bridge': 'cni-bridge',
    },
    tags: [],
    variables: [],
    coldBuildMs: 20_000,
    diskBytes: gibibyte / 4,
  },
  // Three modules, since no one set of versions of their dependencies suits them all.
  multus: {
    name: 'multus',
    title: 'Multus 4.3.0: more than one network per pod',
    module: 'multus',
    programs: { 'gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus': 'multus' },
    tags: [],
    variables: [],
    coldBuildMs: 2 * minuteMs,
    diskBytes: 2 * gibibyte,
  },
  'kube-router': {
    name: 'kube-router',
    title: 'kube-router 2.10.0: network policies',
    module: 'kube-router',
    programs: { 'github.com/cloudnativelabs/kube-router/v2/cmd/kube-router': 'kube-router' },
    tags: [],
    variables: [],
    coldBuildMs: 3 * minuteMs,
    diskBytes: 2 * gibibyte,
  },
  coredns: {
    name: 'coredns',
    title: 'CoreDNS 1.14.7: names of Services',
    module: 'coredns',
    programs: { 'github.com/coredns/coredns': 'coredns' },
    tags: [],
    variables: [],
    coldBuildMs: 4 * minuteMs,
    diskBytes: 2 * gibibyte,
  },
  cdi: {
    name: 'cdi',
    title: 'CDI 1.65.0: imports, uploads and clones of disks',
    module: 'cdi',
    programs: {
      'kubevirt.io/containerized-data-importer/cmd/cdi-controller': 'cdi-controller',
      'kubevirt.io/containerized-data-importer/cmd/cdi-apiserver': 'cdi-apiserver',
      'kubevirt.io/containerized-data-importer/cmd/cdi-importer': 'cdi-importer',
      'kubevirt.io/containerized-data-importer/cmd/cdi-cloner': 'cdi-cloner',
      'kubevirt.io/containerized-data-importer/cmd/cdi-uploadserver': 'cdi-uploadserver',
      'terrain.dev/embedded/cdi/manifests': 'cdi-manifests',
    },
    tags: [],
    variables: [],
    coldBuildMs: 5 * minuteMs,
    diskBytes: 4 * gibibyte,
  },
  s3: {
    name: 's3',
    title: 'versitygw 1.7.0: an S3 server',
    module: 'versitygw',
    programs: { 'github.com/versity/versitygw/cmd/versitygw': 'versitygw' },
    tags: [],
    variables: [],
    coldBuildMs: 2 * minuteMs,
    diskBytes: 2 * gibibyte,
  },
  'csi-sanity': {
    name: 'csi-sanity',
    title: 'csi-sanity: the tests that all storage drivers share',
    module: 'csi-sanity',
    programs: { 'github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity': 'csi-sanity' },
    tags: [],
    variables: [],
    coldBuildMs: 2 * minuteMs,
    diskBytes: gibibyte,
  },
} as const satisfies Record<string, BinaryGroup>;

export type GroupName = keyof typeof groups;

export const groupNames = Object.keys(groups) as readonly GroupName[];

/** What a cluster needs unless it is asked to be real; the rest is built when it is first used. */
export const usualGroupNames = ['core', 'sim'] as const satisfies readonly GroupName[];

/** What a real node needs beside those. */
export const nodeGroupNames = [
  'node',
  'node-tools',
  'multus',
  'kube-router',
  'coredns',
  'storage',
] as const satisfies readonly GroupName[];

/** What `terrain up --real` needs in all: a real node, real imports, and a server for S3. */
export const realGroupNames = [...nodeGroupNames, 'cdi', 's3'] as const satisfies readonly GroupName[];

/** Where the Go modules of the groups are checked in. */
export const moduleRoot = fileURLToPath(new URL('../../go/', import.meta.url));

export function programsOf(group: BinaryGroup): readonly string[] {
  return Object.values(group.programs);
}
