/** Who uses an image, and when one that nobody uses may go. */
import { labels, pelotechGroup, sourceHash, type VirtualMachine, type VMDiskImageStatus } from '@terrain/api';
import { compareVersions } from '@terrain/runtime';
import { instantMs, type References, type Snapshot, type StoredImage, toInstant } from './snapshot.ts';

const shownNames = 3;

/** `namespace/name` of the image a machine refers to. */
export function imageKeyOf({ metadata, spec }: VirtualMachine): string {
  const { name, namespace = '' } = spec.vmDiskImageRef;
  return `${namespace === '' ? metadata.namespace : namespace}/${name}`;
}

/** Counts machines. One that is being deleted still counts: its disk may be in use until it is gone. */
export function countReferences(machines: readonly VirtualMachine[], asOf: string): References {
  const names = machines.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
  let waiting: string | undefined;
  for (const { metadata, status } of machines) {
    const version = metadata.resourceVersion;
    if (version === undefined || status?.rootDisk !== undefined) continue;
    if (waiting === undefined || compareVersions(version, waiting) > 0) waiting = version;
  }
  return { count: machines.length, names: names.slice(0, shownNames), asOf, waiting };
}

type ReferenceStatus = Pick<VMDiskImageStatus, 'references' | 'referencedBy' | 'referencesAsOf' | 'unreferencedSince'>;

/**
 * What the status says about references. The version counted up to changes only when somebody waits for that or the count changes,
 * so that machines that come and go elsewhere cause no writes here.
 */
export function referenceStatus({ image, references, nowMs }: Snapshot): ReferenceStatus {
  const { references: before = 0, referencedBy = [], referencesAsOf, unreferencedSince } = image.status ?? {};
  const { count, names, asOf, waiting } = references;
  const isSame =
    before === count && referencedBy.length === names.length && names.every((name, index) => referencedBy[index] === name);
  const isAwaited = waiting !== undefined && (referencesAsOf === undefined || compareVersions(waiting, referencesAsOf) > 0);
  const countedUpTo = isSame && !isAwaited ? referencesAsOf : asOf;
  return {
    references: count,
    ...(names.length === 0 ? {} : { referencedBy: [...names] }),
    ...(countedUpTo === undefined ? {} : { referencesAsOf: countedUpTo }),
    ...(count > 0 ? {} : { unreferencedSince: unreferencedSince ?? toInstant(nowMs) }),
  };
}

/**
 * When an image that nobody refers to may be removed; undefined when it never may.
 *
 * Made from a template: so long after its last reference. Made by a person or a pipeline: only if the policy says so, and not before
 * the source it names now could have been used.
 */
export function prunableAtMs({ image, references, policy }: Snapshot): number | undefined {
  const { spec, status = {}, metadata } = image;
  if (references.count > 0 || spec.retain === true || isOfDataSync(image)) return undefined;
  const sinceMs = instantMs(status.unreferencedSince);
  if (sinceMs === undefined) return undefined;
  if (metadata.labels?.[labels.createdBy] !== undefined) {
    const ttlMs = policy.templateImageTTL;
    return ttlMs === 'off' ? undefined : sinceMs + ttlMs;
  }
  const usableMs = settledMs(image);
  if (policy.unreferencedTTL === 'off' || usableMs === undefined) return undefined;
  return Math.max(sinceMs, usableMs) + policy.unreferencedTTL;
}

/** Since when the source the spec names could be used, or is given up. What became of a former source says nothing about it. */
function settledMs({ spec, status = {} }: StoredImage): number | undefined {
  const { artifact, retry } = status;
  const hash = sourceHash(spec);
  const syncedMs = artifact?.sourceHash === hash ? instantMs(artifact.syncedAt) : undefined;
  return syncedMs ?? (retry?.sourceHash === hash ? instantMs(retry.gaveUp?.at) : undefined);
}

const isOfDataSync = ({ metadata }: StoredImage): boolean =>
  (metadata.ownerReferences ?? []).some(
    ({ kind, apiVersion }) => kind === 'DataSync' && apiVersion.startsWith(`${pelotechGroup}/`),
  );
