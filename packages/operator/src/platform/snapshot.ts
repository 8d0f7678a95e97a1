/** Volume snapshots: the fields we set or read, and no others. */
import type { KubeObject, ResourceType } from '@terrain/runtime';

const group = 'snapshot.storage.k8s.io';
export const volumeSnapshotType: ResourceType = { group, version: 'v1', plural: 'volumesnapshots', namespaced: true };
export const volumeSnapshotClassType: ResourceType = { group, version: 'v1', plural: 'volumesnapshotclasses', namespaced: false };
export const volumeSnapshotApiVersion = `${group}/v1`;

export interface VolumeSnapshot extends KubeObject {
  readonly spec: {
    readonly volumeSnapshotClassName?: string;
    readonly source: { readonly persistentVolumeClaimName?: string };
  };
  readonly status?: {
    readonly readyToUse?: boolean;
    readonly boundVolumeSnapshotContentName?: string;
    readonly restoreSize?: string;
    readonly error?: { readonly message?: string; readonly time?: string };
  };
}

export interface VolumeSnapshotClass extends KubeObject {
  readonly driver: string;
}

/** Ready, bound, and without an error: all three, since each alone has been seen on snapshots that could not be cloned. */
export function isReadyToUse({ metadata, status }: VolumeSnapshot): boolean {
  return (
    status?.readyToUse === true &&
    (status.boundVolumeSnapshotContentName ?? '') !== '' &&
    status.error === undefined &&
    metadata.deletionTimestamp === undefined
  );
}

/** Whether an object of the snapshot or storage API is marked as the default of its kind. */
export const isDefaultSnapshotClass = ({ metadata }: VolumeSnapshotClass): boolean =>
  metadata.annotations?.['snapshot.storage.kubernetes.io/is-default-class'] === 'true';
