/**
 * What caches hold of the platform's objects: the fields that are read, which are a third of what there is. With thousands of images it is these
 * objects, not the images themselves, that memory goes into.
 *
 * What a decision reads must be kept here. Only for kinds that are created and deleted, never compared with a manifest. Nothing that the cluster can
 * hold may make these throw: a watch would never get past it.
 */
import { pelotechGroup } from '@terrain/api';
import type { InformerScope, ObjectMeta } from '@terrain/runtime';
import type { DataVolume } from './cdi.ts';
import type { Claim } from './core.ts';
import type { VolumeSnapshot } from './snapshot.ts';

type Keep<T> = NonNullable<InformerScope<T>['keep']>;
type Known<T> = { readonly [Field in keyof T]: T[Field] | undefined };

/** Absent fields are there as undefined, so that all objects have one shape. */
const shaped = <T extends object>(fields: Known<Required<T>> | Known<T>): T => fields as T;

const identityOf = ({ name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp }: ObjectMeta) => ({
  name,
  namespace,
  uid,
  resourceVersion,
  creationTimestamp,
  deletionTimestamp,
});

const metadataOf = (metadata: ObjectMeta): ObjectMeta => {
  const { labels, ownerReferences, finalizers } = metadata;
  return shaped<ObjectMeta>({ ...identityOf(metadata), labels, ownerReferences, finalizers });
};

const ownLabels = (labels: ObjectMeta['labels']): ObjectMeta['labels'] =>
  labels === undefined
    ? undefined
    : Object.fromEntries(Object.entries(labels).filter(([key]) => key.startsWith(`${pelotechGroup}/`)));

export const keptVolume: Keep<DataVolume> = ({ apiVersion, kind, metadata, spec, status }) => {
  const { snapshot } = (spec as DataVolume['spec'] | undefined)?.source ?? {};
  return {
    apiVersion,
    kind,
    metadata: metadataOf(metadata),
    spec: snapshot === undefined ? noSource : { source: { snapshot } },
    ...(status === undefined
      ? {}
      : {
          status: shaped<NonNullable<DataVolume['status']>>({
            phase: status.phase,
            progress: status.progress,
            restartCount: status.restartCount,
            conditions: status.conditions?.map(({ type, status: is, reason, message }) =>
              shaped<NonNullable<NonNullable<DataVolume['status']>['conditions']>[number]>({ type, status: is, reason, message }),
            ),
          }),
        }),
  };
};
const noSource: DataVolume['spec'] = {};

export const keptSnapshot: Keep<VolumeSnapshot> = ({ apiVersion, kind, metadata, spec, status }) => ({
  apiVersion,
  kind,
  metadata: metadataOf(metadata),
  spec: { source: (spec as VolumeSnapshot['spec'] | undefined)?.source ?? {} },
  ...(status === undefined
    ? {}
    : {
        status: shaped<NonNullable<VolumeSnapshot['status']>>({
          readyToUse: status.readyToUse,
          boundVolumeSnapshotContentName: status.boundVolumeSnapshotContentName,
          restoreSize: status.restoreSize,
          error: status.error,
        }),
      }),
});

/** Whose it is, the claim of a download says by a label of ours; CDI adds as many of its own, an owner and a finalizer. */
export const keptClaim: Keep<Claim> = ({ apiVersion, kind, metadata, spec, status }) => ({
  apiVersion,
  kind,
  metadata: shaped<ObjectMeta>({ ...identityOf(metadata), labels: ownLabels(metadata.labels) }),
  ...(spec === undefined
    ? {}
    : {
        spec: shaped<NonNullable<Claim['spec']>>({
          storageClassName: spec.storageClassName,
          volumeMode: spec.volumeMode,
          resources: spec.resources,
        }),
      }),
  ...(status === undefined
    ? {}
    : { status: shaped<NonNullable<Claim['status']>>({ phase: status.phase, capacity: status.capacity }) }),
});

/** A root disk grows only if it is of the very DataVolume that is there now. */
export const keptRootClaim: Keep<Claim> = (claim) => {
  const kept = keptClaim(claim);
  return { ...kept, metadata: { ...kept.metadata, ownerReferences: claim.metadata.ownerReferences } as ObjectMeta };
};
