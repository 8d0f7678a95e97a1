/**
 * What the operator may do: each right is there because a line of it is used, and no more.
 *
 * People's Secrets are read one by one, by the name an image or a machine gives, and watched likewise while one is missing. Those with
 * the guests' configuration are the operator's own: made, and listed by their label. RBAC cannot tell the two apart.
 */
import { pelotechGroup } from '#common/keys.ts';
import { ledgerName } from '#ledger/layout.ts';
import { type InstallOptions, operatorServiceAccount, resolveInstall } from '#policy/install.ts';

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] };
type Subject = { kind: 'ServiceAccount'; name: string; namespace: string };
type RoleReference = { apiGroup: 'rbac.authorization.k8s.io'; kind: 'ClusterRole' | 'Role'; name: string };

const apiVersion = 'rbac.authorization.k8s.io/v1';
const name = 'terrain-operator';

/** The part of rbac.authorization.k8s.io/v1 that makes up the operator's rights. */
export type OperatorRole = [
  { apiVersion: typeof apiVersion; kind: 'ClusterRole'; metadata: { name: string }; rules: Rule[] },
  {
    apiVersion: typeof apiVersion;
    kind: 'ClusterRoleBinding';
    metadata: { name: string };
    roleRef: RoleReference;
    subjects: Subject[];
  },
  { apiVersion: typeof apiVersion; kind: 'Role'; metadata: { name: string; namespace: string }; rules: Rule[] },
  {
    apiVersion: typeof apiVersion;
    kind: 'RoleBinding';
    metadata: { name: string; namespace: string };
    roleRef: RoleReference;
    subjects: Subject[];
  },
];

const rule = (apiGroup: string, resource: string, ...verbs: string[]): Rule => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs,
});

const clusterRules: readonly Rule[] = [
  rule(pelotechGroup, 'vmdiskimages', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule(pelotechGroup, 'vmdiskimages/status', 'patch'),
  // Where the API server asks who may block the deletion of an owner.
  rule(pelotechGroup, 'vmdiskimages/finalizers', 'update'),
  rule(pelotechGroup, 'datasyncs', 'get', 'list', 'watch', 'patch'),
  rule(pelotechGroup, 'datasyncs/status', 'patch'),
  rule(pelotechGroup, 'datasyncs/finalizers', 'update'),
  rule(pelotechGroup, 'virtualmachines', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule(pelotechGroup, 'virtualmachines/status', 'patch'),
  rule(pelotechGroup, 'virtualmachines/finalizers', 'update'),
  rule(pelotechGroup, 'workspaces', 'get', 'list', 'watch', 'patch'),
  rule(pelotechGroup, 'workspaces/status', 'patch'),
  rule(pelotechGroup, 'workspaces/finalizers', 'update'),
  rule('kubevirt.io', 'virtualmachines', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('kubevirt.io', 'virtualmachineinstances', 'list', 'watch'),
  rule('k8s.cni.cncf.io', 'network-attachment-definitions', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  // Only where networkBackend is kube-ovn.
  rule('kubeovn.io', 'vpcs', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('kubeovn.io', 'subnets', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('cdi.kubevirt.io', 'datavolumes', 'get', 'list', 'watch', 'create', 'delete'),
  // Where CDI asks who may clone out of another namespace.
  rule('cdi.kubevirt.io', 'datavolumes/source', 'create'),
  rule('snapshot.storage.k8s.io', 'volumesnapshots', 'get', 'list', 'watch', 'create', 'delete'),
  rule('snapshot.storage.k8s.io', 'volumesnapshotclasses', 'list', 'watch'),
  rule('storage.k8s.io', 'storageclasses', 'list', 'watch'),
  rule('', 'persistentvolumeclaims', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('', 'pods', 'list', 'watch'),
  rule('', 'resourcequotas', 'list', 'watch'),
  rule('', 'namespaces', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('', 'services', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('apps', 'deployments', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('batch', 'jobs', 'get', 'list', 'watch', 'create', 'delete'),
  rule('networking.k8s.io', 'networkpolicies', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('', 'secrets', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
  rule('', 'configmaps', 'get', 'watch'),
  rule('events.k8s.io', 'events', 'create', 'patch'),
  // To notice a part of the platform that is installed later, without asking for it again and again.
  rule('apiextensions.k8s.io', 'customresourcedefinitions', 'list', 'watch'),
];

const ownRules: readonly Rule[] = [
  rule('', 'configmaps', 'list', 'create'),
  { ...rule('', 'configmaps', 'update'), resourceNames: [ledgerName] },
  rule('coordination.k8s.io', 'leases', 'create'),
  { ...rule('coordination.k8s.io', 'leases', 'get', 'update'), resourceNames: [name] },
];

/** The operator's roles and their bindings: one for the cluster, one for its own namespace. */
export function operatorRole(install: InstallOptions = {}): OperatorRole {
  const { operatorNamespace: namespace } = resolveInstall(install);
  const subjects: Subject[] = [{ kind: 'ServiceAccount', name: operatorServiceAccount, namespace }];
  const roleRef = (kind: RoleReference['kind']): RoleReference => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name }, rules: [...clusterRules] },
    { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef: roleRef('ClusterRole'), subjects },
    { apiVersion, kind: 'Role', metadata: { name, namespace }, rules: [...ownRules] },
    { apiVersion, kind: 'RoleBinding', metadata: { name, namespace }, roleRef: roleRef('Role'), subjects },
  ];
}
