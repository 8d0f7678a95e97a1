/** The objects an image needs, complete and the same for the same input. */
import { dataVolumeName, labels, labelValue, managerName, pelotechApiVersion, type VMDiskImageSpec } from '@terrain/api';
import { controllerReference, type ObjectMeta } from '@terrain/runtime';
import { cdiAnnotations, type DataVolume, type DataVolumeSource, dataVolumeApiVersion } from '#platform/cdi.ts';
import { type VolumeSnapshot, volumeSnapshotApiVersion } from '#platform/snapshot.ts';
import type { StoredImage } from './snapshot.ts';

/** The DataVolume that downloads an attempt's source. */
export function desiredDataVolume(
  image: StoredImage,
  attempt: { readonly number: number; readonly sourceHash: string },
): DataVolume {
  const { spec, metadata } = image;
  const { storageClass = '', diskSize } = spec;
  return {
    apiVersion: dataVolumeApiVersion,
    kind: 'DataVolume',
    metadata: {
      name: dataVolumeName({ name: metadata.name, uid: metadata.uid, attempt: attempt.number }),
      ...childMetadata(image, attempt.number, attempt.sourceHash),
      annotations: { [cdiAnnotations.immediateBinding]: 'true' },
    },
    spec: {
      source: sourceOf(spec),
      // `storage`, not `pvc`: only this adds the overhead of a file system, without which an image of just diskSize does not fit.
      storage: {
        ...(storageClass === '' ? {} : { storageClassName: storageClass }),
        resources: { requests: { storage: String(diskSize) } },
      },
    },
  };
}

/** A snapshot of the claim a DataVolume filled. */
export function desiredSnapshot(
  image: StoredImage,
  name: string,
  { metadata }: { readonly metadata: ObjectMeta },
): VolumeSnapshot {
  const { snapshotClass = '' } = image.spec;
  return {
    apiVersion: volumeSnapshotApiVersion,
    kind: 'VolumeSnapshot',
    metadata: { name, ...childMetadata(image, attemptOf({ metadata }), metadata.labels?.[labels.sourceHash] ?? '') },
    spec: {
      ...(snapshotClass === '' ? {} : { volumeSnapshotClassName: snapshotClass }),
      source: { persistentVolumeClaimName: metadata.name ?? '' },
    },
  };
}

/** The number of the attempt a child belongs to; 0 when its label says nothing usable. */
export function attemptOf({ metadata }: { readonly metadata: ObjectMeta }): number {
  const text = metadata.labels?.[labels.attempt] ?? '';
  return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0;
}

/** Hash of the source a child was downloaded from. */
export const hashOf = ({ metadata }: { readonly metadata: ObjectMeta }): string | undefined =>
  metadata.labels?.[labels.sourceHash];

function childMetadata(image: StoredImage, attempt: number, sourceHash: string): ObjectMeta {
  const { name, namespace } = image.metadata;
  return {
    namespace,
    labels: {
      [labels.managedBy]: managerName,
      [labels.image]: labelValue(name),
      [labels.attempt]: String(attempt),
      [labels.sourceHash]: sourceHash,
    },
    ownerReferences: [controllerReference({ ...image, apiVersion: pelotechApiVersion, kind: 'VMDiskImage' })],
  };
}

function sourceOf({ sourceType, url = '', secretRef, certConfigMap, checksum }: VMDiskImageSpec): DataVolumeSource {
  const secret = secretRef === undefined ? {} : { secretRef };
  const certificates = certConfigMap === undefined ? {} : { certConfigMap };
  switch (sourceType) {
    case 'http':
      return { http: { url, ...secret, ...certificates, ...(checksum === undefined ? {} : { checksum }) } };
    case 's3':
      return { s3: { url, ...secret, ...certificates } };
    case 'gcs':
      return { gcs: { url, ...secret } };
    case 'registry':
      return { registry: { url, ...secret, ...certificates } };
    case 'blank':
      return { blank: {} };
  }
}
