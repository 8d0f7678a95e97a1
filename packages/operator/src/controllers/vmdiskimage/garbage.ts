/** What an image has left behind and does not need any more. */
import { type DataVolume, isUnfinished } from '#platform/cdi.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';
import { isGoing, isWorthKeeping } from './facts.ts';
import { type ImageRecord, runningAttempt } from './record.ts';
import type { Snapshot } from './snapshot.ts';

export type Garbage = {
  readonly snapshots: readonly VolumeSnapshot[];
  readonly dataVolumes: readonly DataVolume[];
  /** Downloads nobody has a slot for: to be removed only after live reads have said the same. */
  readonly strays: readonly DataVolume[];
};

/**
 * Snapshots and volumes that neither the artifact nor a running attempt names.
 *
 * Guarantees: nothing a root disk is being cloned from; no volume while a snapshot of it exists, since some drivers' snapshots depend
 * on it; no volume of an entry in the ledger, which has an end of its own.
 */
export function garbageOf(snapshot: Snapshot, record: ImageRecord): Garbage {
  const { snapshots, dataVolumes, cloning, slot } = snapshot;
  const attempt = runningAttempt(record);
  const kept = new Set([record.artifact?.volumeSnapshot, record.attempt?.volumeSnapshot]);
  const keptVolumes = new Set<string | undefined>([record.artifact?.dataVolume, attempt?.dataVolume]);
  for (const volume of dataVolumes) if (isWorthKeeping(snapshot, record, volume)) keptVolumes.add(volume.metadata.name);
  const slotVolume = slot.ledger === 'readable' && slot.entry !== undefined ? record.attempt?.dataVolume : undefined;

  const isSuperfluous = ({ metadata, spec }: VolumeSnapshot): boolean => {
    const name = metadata.name ?? '';
    if (kept.has(name) || cloning.has(name)) return false;
    // The first cut of a volume that is still of use is not named anywhere until it is ready.
    return (
      !keptVolumes.has(spec.source.persistentVolumeClaimName) || isReplaced(record, name, spec.source.persistentVolumeClaimName)
    );
  };
  const unneeded = dataVolumes.filter((volume) => {
    const { name } = volume.metadata;
    if (isGoing(volume) || keptVolumes.has(name) || name === slotVolume) return false;
    return !snapshots.some(({ spec }) => spec.source.persistentVolumeClaimName === name);
  });
  return {
    snapshots: snapshots.filter((candidate) => !isGoing(candidate) && isSuperfluous(candidate)),
    dataVolumes: unneeded.filter((volume) => !isUnfinished(volume)),
    strays: unneeded.filter(isUnfinished),
  };
}

/** Whether the record names another cut of the same volume. */
function isReplaced({ artifact, attempt }: ImageRecord, name: string, volume: string | undefined): boolean {
  const named =
    artifact?.dataVolume === volume
      ? artifact?.volumeSnapshot
      : attempt?.dataVolume === volume
        ? attempt?.volumeSnapshot
        : undefined;
  return named !== undefined && named !== name;
}
