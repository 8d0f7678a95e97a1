/** What must be in place before an image may take a slot. */
import type { VMDiskImageReason } from '@terrain/api';
import { defaultStorageClass, type StorageClass } from '#platform/core.ts';
import { isDefaultSnapshotClass } from '#platform/snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** Why an image has to wait, as people read it, and how long at most until it is looked at again where nothing may wake it. */
export type Problem = { readonly reason: VMDiskImageReason; readonly message: string; readonly afterMs?: number };

type Check = (snapshot: Snapshot) => Problem | undefined;

/** Drivers of the time before CSI keep their name in classes, while their volumes and snapshots belong to another one. */
const isBuiltIn = ({ provisioner }: StorageClass): boolean => provisioner.startsWith('kubernetes.io/');

const dataVolumesServed: Check = ({ platform }) =>
  platform.hasDataVolumes
    ? undefined
    : {
        reason: 'PlatformMissing',
        message:
          'CDI is not installed in this cluster: DataVolumes (cdi.kubevirt.io/v1beta1) are not served; install it, and the image goes on by itself',
      };

const snapshotsServed: Check = ({ platform }) =>
  platform.hasSnapshots
    ? undefined
    : {
        reason: 'PlatformMissing',
        message:
          'volume snapshots are not installed in this cluster: VolumeSnapshots (snapshot.storage.k8s.io/v1) are not served; install them, and the image goes on by itself',
      };

const secretNamed: Check = ({ image: { spec } }) =>
  spec.sourceType === 's3' && spec.secretRef === undefined
    ? { reason: 'SecretMissing', message: 'sourceType s3 needs secretRef; for a public bucket use sourceType http' }
    : undefined;

const secretUsable: Check = ({ secret }) => (typeof secret === 'object' ? secret : undefined);
const certConfigMapThere: Check = ({ certConfigMap }) => (typeof certConfigMap === 'object' ? certConfigMap : undefined);

/** The class the disk would get, if there is one. */
function storageClassOf({ image: { spec }, platform }: Snapshot): StorageClass | undefined {
  const { storageClass = '' } = spec;
  if (storageClass === '') return defaultStorageClass(platform.storageClasses);
  return platform.storageClasses.find(({ metadata }) => metadata.name === storageClass);
}

const storageClassThere: Check = (snapshot) => {
  const { storageClass = '' } = snapshot.image.spec;
  if (storageClassOf(snapshot) !== undefined) return undefined;
  const message =
    storageClass === ''
      ? 'no storageClass is named and the cluster has no default StorageClass; name one, or mark a default'
      : `StorageClass ${storageClass} does not exist; create it, or name another in storageClass`;
  return { reason: 'StorageClassMissing', message };
};

const snapshotClassThere: Check = (snapshot) => {
  const { snapshotClass = '' } = snapshot.image.spec;
  const storageClass = storageClassOf(snapshot);
  if (storageClass === undefined) return undefined;
  const { snapshotClasses } = snapshot.platform;
  const missing = (message: string): Problem => ({ reason: 'SnapshotClassMissing', message });
  const driver = storageClass.provisioner;
  if (snapshotClass !== '') {
    const named = snapshotClasses.find(({ metadata }) => metadata.name === snapshotClass);
    if (named === undefined)
      return missing(`VolumeSnapshotClass ${snapshotClass} does not exist; create it, or name another in snapshotClass`);
    if (named.driver === driver || isBuiltIn(storageClass)) return undefined;
    return missing(
      `VolumeSnapshotClass ${snapshotClass} belongs to the driver ${named.driver}, but StorageClass ${storageClass.metadata.name} to ${driver}; name a class of the same driver`,
    );
  }
  const defaults = snapshotClasses.filter(
    (candidate) => isDefaultSnapshotClass(candidate) && (candidate.driver === driver || isBuiltIn(storageClass)),
  );
  if (defaults.length === 1 || (defaults.length > 1 && isBuiltIn(storageClass))) return undefined;
  return missing(
    defaults.length === 0
      ? `no snapshotClass is named and the driver ${driver} has no default VolumeSnapshotClass; name one, or mark a default`
      : `the driver ${driver} has ${defaults.length} default VolumeSnapshotClasses; leave the mark on one of them, or name one in snapshotClass`,
  );
};

/** Order matters: the first problem is what people read. */
const preflight: readonly Check[] = [
  dataVolumesServed,
  snapshotsServed,
  secretNamed,
  secretUsable,
  certConfigMapThere,
  storageClassThere,
  snapshotClassThere,
];

/** The first thing that keeps an image from starting. */
export function preflightProblem(snapshot: Snapshot): Problem | undefined {
  for (const check of preflight) {
    const problem = check(snapshot);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether something has to be read live before it is known if the image may start. */
export const isUnchecked = ({ secret, certConfigMap }: Snapshot): boolean => secret === 'unknown' || certConfigMap === 'unknown';
