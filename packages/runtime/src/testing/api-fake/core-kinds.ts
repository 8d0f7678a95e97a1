import type { ResourceType } from '#transport/resource.ts';
import type { ServedKind } from './kind.ts';
import { type KindOptions, servedKind } from './kinds.ts';
import { listByKeys, mapOfStrings, type Schema, schemaOf } from './schema.ts';

export const namespaceType: ResourceType = { group: '', version: 'v1', plural: 'namespaces', namespaced: false };
export const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

type Options = Omit<KindOptions, 'type' | 'kind' | 'schema'> & { readonly lists?: Readonly<Record<string, Schema>> };

function builtIn(group: string, kind: string, plural: string, { lists = {}, ...options }: Options = {}): ServedKind {
  return servedKind({
    type: { group, version: 'v1', plural, namespaced: true },
    kind,
    allowsBlindUpdate: true,
    tracksGeneration: options.hasStatus === true,
    schema: schemaOf(lists),
    ...options,
  });
}

function clusterWide(kind: ServedKind): ServedKind {
  return { ...kind, type: { ...kind.type, namespaced: false } };
}

const conditions = { 'status.conditions': listByKeys('type') };
const podLists = (at: string): Record<string, Schema> => ({
  [`${at}.containers`]: listByKeys('name'),
  [`${at}.containers.[].env`]: listByKeys('name'),
  [`${at}.containers.[].ports`]: listByKeys('containerPort', 'protocol'),
  [`${at}.containers.[].volumeMounts`]: listByKeys('mountPath'),
  [`${at}.initContainers`]: listByKeys('name'),
  [`${at}.volumes`]: listByKeys('name'),
});
const workload = (kind: string, plural: string): ServedKind =>
  builtIn('apps', kind, plural, { hasStatus: true, lists: { ...podLists('spec.template.spec'), ...conditions } });

/** Built-in kinds as far as controllers meet them. Their fields are not validated; only lists that merge by key are described. */
export const coreKinds: readonly ServedKind[] = [
  clusterWide(
    builtIn('', 'Namespace', 'namespaces', { hasStatus: true, tracksGeneration: false, selectableFields: ['status.phase'] }),
  ),
  clusterWide(builtIn('', 'Node', 'nodes', { hasStatus: true, tracksGeneration: false, lists: conditions })),
  builtIn('', 'ConfigMap', 'configmaps', { lists: { data: mapOfStrings, binaryData: mapOfStrings } }),
  builtIn('', 'Secret', 'secrets', { lists: { data: mapOfStrings, stringData: mapOfStrings }, selectableFields: ['type'] }),
  builtIn('', 'ServiceAccount', 'serviceaccounts', { lists: { secrets: listByKeys('name') } }),
  builtIn('', 'Service', 'services', {
    hasStatus: true,
    tracksGeneration: false,
    lists: { 'spec.ports': listByKeys('port', 'protocol') },
  }),
  builtIn('', 'Pod', 'pods', {
    hasStatus: true,
    lists: { ...podLists('spec'), ...conditions },
    selectableFields: ['spec.nodeName', 'status.phase'],
  }),
  builtIn('', 'PersistentVolumeClaim', 'persistentvolumeclaims', { hasStatus: true, tracksGeneration: false, lists: conditions }),
  builtIn('', 'ResourceQuota', 'resourcequotas', { hasStatus: true, tracksGeneration: false }),
  builtIn('', 'LimitRange', 'limitranges'),
  builtIn('', 'Event', 'events', { selectableFields: ['involvedObject.name', 'involvedObject.uid', 'reason', 'type'] }),
  workload('Deployment', 'deployments'),
  workload('StatefulSet', 'statefulsets'),
  builtIn('batch', 'Job', 'jobs', { hasStatus: true, lists: { ...podLists('spec.template.spec'), ...conditions } }),
  builtIn('coordination.k8s.io', 'Lease', 'leases', { allowsBlindUpdate: false }),
  builtIn('networking.k8s.io', 'NetworkPolicy', 'networkpolicies', { tracksGeneration: true }),
  builtIn('networking.k8s.io', 'Ingress', 'ingresses', { hasStatus: true }),
  builtIn('rbac.authorization.k8s.io', 'Role', 'roles'),
  builtIn('rbac.authorization.k8s.io', 'RoleBinding', 'rolebindings'),
  clusterWide(builtIn('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles')),
  clusterWide(builtIn('rbac.authorization.k8s.io', 'ClusterRoleBinding', 'clusterrolebindings')),
  clusterWide(builtIn('storage.k8s.io', 'StorageClass', 'storageclasses')),
  clusterWide(
    builtIn('apiextensions.k8s.io', 'CustomResourceDefinition', crdType.plural, { hasStatus: true, lists: conditions }),
  ),
];
