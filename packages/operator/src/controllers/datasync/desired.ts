/** The images a DataSync asks for, and the patches that lead there. Pure. */
import {
  type DataSyncVM,
  dataSyncImageName,
  finalizers,
  labels,
  labelValue,
  managerName,
  pelotechApiVersion,
  type VMDiskImage,
  type VMDiskImageSpec,
} from '@terrain/api';
import { controllerReference } from '@terrain/runtime';
import type { Snapshot, StoredDataSync, StoredImage } from './observe.ts';

/** Fields of an image its item speaks for. What people add besides, such as `retain`, stays theirs. */
const itemFields = [
  'name',
  'url',
  'sourceType',
  'diskSize',
  'storageClass',
  'snapshotClass',
  'secretRef',
  'checksum',
] as const satisfies readonly (keyof VMDiskImageSpec)[];
const ownLabels = [labels.managedBy, labels.dataSync, labels.workspaceId, labels.workspaceVersion] as const;

/** The image of one item, as it is created: with the finalizer, so that no deletion can come before its protection. */
export function desiredImage({ dataSync, images, defaultDiskSize }: Snapshot, vm: DataSyncVM): VMDiskImage {
  const { metadata, spec } = dataSync;
  const name = dataSyncImageName(metadata.name, vm.name);
  return {
    apiVersion: pelotechApiVersion,
    kind: 'VMDiskImage',
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: {
        [labels.managedBy]: managerName,
        [labels.dataSync]: labelValue(metadata.name),
        [labels.workspaceId]: labelValue(spec.workspaceId),
        ...(spec.version === undefined ? {} : { [labels.workspaceVersion]: labelValue(spec.version) }),
      },
      finalizers: [finalizers.pelotechCleanup],
      ownerReferences: [{ ...controllerReference(dataSync) }],
    },
    spec: {
      ...downloadOf(dataSync, vm),
      // A new default of the policy is for new images: an existing one would be downloaded again for the sake of its size alone.
      diskSize: vm.diskSize ?? spec.defaults?.diskSize ?? images.get(name)?.spec.diskSize ?? defaultDiskSize,
    },
  };
}

function downloadOf({ spec }: StoredDataSync, vm: DataSyncVM): Omit<VMDiskImageSpec, 'diskSize'> {
  const { name, url, sourceType } = vm;
  const { defaults = {} } = spec;
  // Defaults are for all items, and not each of them downloads: a blank disk would wait for a Secret it has no use for.
  const secretRef = vm.secretRef ?? (sourceType === 'blank' ? undefined : defaults.secretRef);
  const checksum = vm.checksum ?? (sourceType === 'http' ? defaults.checksum : undefined);
  const storageClass = vm.storageClass ?? defaults.storageClass;
  const snapshotClass = vm.snapshotClass ?? defaults.snapshotClass;
  return {
    name,
    sourceType,
    ...(url === undefined ? {} : { url }),
    ...(secretRef === undefined ? {} : { secretRef }),
    ...(storageClass === undefined ? {} : { storageClass }),
    ...(snapshotClass === undefined ? {} : { snapshotClass }),
    ...(checksum === undefined ? {} : { checksum }),
  };
}

/** A merge patch on just this version of just this object; null removes. */
export type ImagePatch = {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly ownerReferences?: VMDiskImage['metadata']['ownerReferences'];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
};

/** What makes an image be as desired; undefined when it is. */
export function changeOf(desired: VMDiskImage, image: StoredImage): ImagePatch | undefined {
  const spec = differences(itemFields, desired.spec, image.spec);
  const changedLabels = differences(ownLabels, desired.metadata.labels ?? {}, image.metadata.labels ?? {});
  if (spec === undefined && changedLabels === undefined) return undefined;
  const { uid, resourceVersion } = image.metadata;
  return {
    metadata: {
      uid,
      resourceVersion,
      ...(changedLabels === undefined ? {} : { labels: changedLabels as Record<string, string | null> }),
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

function differences<K extends string>(
  fields: readonly K[],
  wanted: Partial<Record<K, unknown>>,
  actual: Partial<Record<K, unknown>>,
): Record<string, unknown> | undefined {
  const changed = fields.filter((field) => wanted[field] !== actual[field]);
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((field) => [field, wanted[field] ?? null]));
}

/** Takes an image out of a DataSync's hands. The label stays and tells where it came from. */
export function releaseOf(image: StoredImage, { metadata }: StoredDataSync): ImagePatch {
  const { uid, resourceVersion, ownerReferences = [] } = image.metadata;
  return {
    metadata: { uid, resourceVersion, ownerReferences: ownerReferences.filter((owner) => owner.uid !== metadata.uid) },
  };
}
