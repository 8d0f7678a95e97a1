import type { KubeObject } from '@terrain/runtime';
import { kubeletClientUser } from '#control-plane/pki.ts';

/** Who the programs of a node are to the API server. */
export const nodeUsers = {
  'kube-proxy': 'system:kube-proxy',
  'kube-router': 'terrain:kube-router',
  coredns: 'terrain:coredns',
  multus: 'terrain:multus',
} as const;

type Rule = readonly [group: string, resources: string, verbs: string];
const watch = 'get list watch';
const slices: Rule = ['discovery.k8s.io', 'endpointslices', watch];

/** What was seen to be enough; kube-proxy and kubelet have roles of Kubernetes' own. */
const rules: Readonly<Record<'kube-router' | 'coredns' | 'multus', readonly Rule[]>> = {
  'kube-router': [
    ['', 'namespaces pods services nodes endpoints', watch],
    ['networking.k8s.io', 'networkpolicies', watch],
    slices,
  ],
  coredns: [['', 'namespaces pods services endpoints', watch], slices],
  multus: [
    ['k8s.cni.cncf.io', 'network-attachment-definitions', watch],
    ['', 'pods', 'get'],
    ['', 'pods/status', 'get update'],
    ['', 'events', 'create patch update'],
    ['events.k8s.io', 'events', 'create patch update'],
  ],
};

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;

/** Roles and bindings for a node's programs, and the one that lets the API server ask kubelet for logs and terminals. */
export function nodeRights(): KubeObject[] {
  const own = (Object.keys(rules) as (keyof typeof rules)[]).flatMap((program) => {
    const name = `terrain-${program}`;
    const role = {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name },
      rules: rules[program].map(([group, resources, verbs]) => ({
        apiGroups: [group],
        resources: resources.split(' '),
        verbs: verbs.split(' '),
      })),
    };
    return [role, binding(name, name, nodeUsers[program])];
  });
  return [
    ...own,
    binding('terrain-kubelet-client', 'system:kubelet-api-admin', kubeletClientUser),
    binding('terrain-kube-proxy', 'system:node-proxier', nodeUsers['kube-proxy']),
  ];
}

function binding(name: string, role: string, user: string): KubeObject {
  const object = {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  };
  return object;
}
