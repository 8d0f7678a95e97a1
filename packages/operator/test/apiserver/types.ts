/** The kinds that the suites look at. */
import type { KubeObject, ResourceType } from '@terrain/runtime';

export const custom = (group: string, version: string, plural: string): ResourceType => ({
  group,
  version,
  plural,
  namespaced: true,
});
export const types = {
  images: custom('pelotech.ot', 'v1alpha1', 'vmdiskimages'),
  machines: custom('pelotech.ot', 'v1alpha1', 'virtualmachines'),
  dataVolumes: custom('cdi.kubevirt.io', 'v1beta1', 'datavolumes'),
  snapshots: custom('snapshot.storage.k8s.io', 'v1', 'volumesnapshots'),
  configMaps: { group: '', version: 'v1', plural: 'configmaps', namespaced: true },
  secrets: { group: '', version: 'v1', plural: 'secrets', namespaced: true },
  claims: { group: '', version: 'v1', plural: 'persistentvolumeclaims', namespaced: true },
  pods: { group: '', version: 'v1', plural: 'pods', namespaced: true },
  namespaces: { group: '', version: 'v1', plural: 'namespaces', namespaced: false },
  events: custom('events.k8s.io', 'v1', 'events'),
  networks: custom('k8s.cni.cncf.io', 'v1', 'network-attachment-definitions'),
  kubevirtMachines: custom('kubevirt.io', 'v1', 'virtualmachines'),
  kubevirtInstances: custom('kubevirt.io', 'v1', 'virtualmachineinstances'),
} as const satisfies Record<string, ResourceType>;

export interface Thing extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}
