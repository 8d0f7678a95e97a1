import type { ResourceType } from '@terrain/runtime';

/** A kind of object the operator makes for a workspace, or for one of its machines. */
export interface Made {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: ResourceType;
}

function made(apiVersion: string, kind: string, plural: string): Made {
  const [first = '', second] = apiVersion.split('/');
  return {
    apiVersion,
    kind,
    type: { group: second === undefined ? '' : first, version: second ?? first, plural, namespaced: true },
  };
}

export const workspaces: ResourceType = { group: 'pelotech.ot', version: 'v1alpha1', plural: 'workspaces', namespaced: false };
export const namespaces: ResourceType = { group: '', version: 'v1', plural: 'namespaces', namespaced: false };
export const pods: ResourceType = made('v1', 'Pod', 'pods').type;
export const deployments: Made = made('apps/v1', 'Deployment', 'deployments');
export const claims: Made = made('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export const dataVolumes: Made = made('cdi.kubevirt.io/v1beta1', 'DataVolume', 'datavolumes');
/** Stands for what its machine consists of: applied by hand, that is there without it. */
export const machines: Made = made('pelotech.ot/v1alpha1', 'VirtualMachine', 'virtualmachines');

/** Everything in the namespace of a workspace that the operator makes, in the order in which it is needed. */
export const children: readonly Made[] = [
  made('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  made('k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'network-attachment-definitions'),
  claims,
  machines,
  dataVolumes,
  made('v1', 'Secret', 'secrets'),
  made('kubevirt.io/v1', 'VirtualMachine', 'virtualmachines'),
  made('v1', 'Service', 'services'),
  deployments,
];
