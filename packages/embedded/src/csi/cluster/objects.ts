import type { KubeObject } from '@terrain/runtime';
import { driverName } from '../service/identity.ts';

/** The class of volumes and the class of snapshots, under one name. */
const storageClassName = 'terrain-disk';

/** What tells Kubernetes of the driver. Both classes are the default ones unless there is other storage. */
export function storageObjects({ isDefault }: { readonly isDefault: boolean }): readonly KubeObject[] {
  const metadata = { name: storageClassName };
  const value = String(isDefault);
  const objects = [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: driverName },
      spec: { attachRequired: false, podInfoOnMount: false, fsGroupPolicy: 'File', volumeLifecycleModes: ['Persistent'] },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { ...metadata, annotations: { 'storageclass.kubernetes.io/is-default-class': value } },
      provisioner: driverName,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
      allowVolumeExpansion: true,
    },
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { ...metadata, annotations: { 'snapshot.storage.kubernetes.io/is-default-class': value } },
      driver: driverName,
      deletionPolicy: 'Delete',
    },
  ];
  return objects;
}
