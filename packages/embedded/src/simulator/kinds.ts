import type { ResourceType } from '@terrain/runtime';

/** Where each kind the simulator reads or writes lives in the API. */
export const kinds = {
  PersistentVolumeClaim: { group: '', version: 'v1', plural: 'persistentvolumeclaims', namespaced: true },
  PersistentVolume: { group: '', version: 'v1', plural: 'persistentvolumes', namespaced: false },
  Pod: { group: '', version: 'v1', plural: 'pods', namespaced: true },
  Secret: { group: '', version: 'v1', plural: 'secrets', namespaced: true },
  ConfigMap: { group: '', version: 'v1', plural: 'configmaps', namespaced: true },
  Event: { group: '', version: 'v1', plural: 'events', namespaced: true },
  StorageClass: { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses', namespaced: false },
  CSIDriver: { group: 'storage.k8s.io', version: 'v1', plural: 'csidrivers', namespaced: false },
  DataVolume: { group: 'cdi.kubevirt.io', version: 'v1beta1', plural: 'datavolumes', namespaced: true },
  VolumeSnapshot: { group: 'snapshot.storage.k8s.io', version: 'v1', plural: 'volumesnapshots', namespaced: true },
  VolumeSnapshotContent: {
    group: 'snapshot.storage.k8s.io',
    version: 'v1',
    plural: 'volumesnapshotcontents',
    namespaced: false,
  },
  VolumeSnapshotClass: { group: 'snapshot.storage.k8s.io', version: 'v1', plural: 'volumesnapshotclasses', namespaced: false },
  NetworkAttachmentDefinition: {
    group: 'k8s.cni.cncf.io',
    version: 'v1',
    plural: 'network-attachment-definitions',
    namespaced: true,
  },
  VirtualMachine: { group: 'kubevirt.io', version: 'v1', plural: 'virtualmachines', namespaced: true },
  VirtualMachineInstance: { group: 'kubevirt.io', version: 'v1', plural: 'virtualmachineinstances', namespaced: true },
} as const satisfies Record<string, ResourceType>;

export type KindName = keyof typeof kinds;

export function apiVersionOf(kind: KindName): string {
  const { group, version } = kinds[kind];
  return group === '' ? version : `${group}/${version}`;
}
