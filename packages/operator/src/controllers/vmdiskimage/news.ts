/**
 * Which changes of an image's children can change a decision about it. CDI and the controller of snapshots write each of them several
 * times for reasons of their own.
 *
 * What decisions read must be compared here: a change that is passed over is seen only by the next pass, whatever causes it.
 */
import type { Change, ObjectMeta, SourceOptions } from '@terrain/runtime';
import { conditionOf, type DataVolume, isImported, isUnfinished } from '#platform/cdi.ts';
import type { Claim } from '#platform/core.ts';
import { isReadyToUse, type VolumeSnapshot } from '#platform/snapshot.ts';
import { isBound } from './facts.ts';

type Facts = readonly (string | number | boolean | undefined)[];

const inMetadata = ({ deletionTimestamp, labels, ownerReferences }: ObjectMeta): Facts => [
  deletionTimestamp,
  JSON.stringify([labels, ownerReferences]),
];

const ofVolume = (volume: DataVolume): Facts => {
  const { progress, restartCount } = volume.status ?? {};
  const conditions = (['Running', 'Bound'] as const).flatMap((type) => {
    const { status, reason, message } = conditionOf(volume, type) ?? {};
    return [status, reason, message];
  });
  return [isImported(volume), isUnfinished(volume), progress, restartCount, ...conditions, ...inMetadata(volume.metadata)];
};

const ofSnapshot = (snapshot: VolumeSnapshot): Facts => [
  isReadyToUse(snapshot),
  snapshot.status?.error?.message,
  snapshot.status?.error === undefined,
  ...inMetadata(snapshot.metadata),
];

/** One that is not bound is as good as none. */
const ofClaim = (claim: Claim): Facts => [isBound(claim), ...inMetadata(claim.metadata)];

const isSame = (a: Facts, b: Facts): boolean => a.every((fact, index) => fact === b[index]);

const isNews = <T>(change: Change<T>, factsOf: (object: T) => Facts): boolean =>
  change.type !== 'updated' || !isSame(factsOf(change.old), factsOf(change.new));

export const volumeNews: SourceOptions<DataVolume> = { when: (change) => isNews(change, ofVolume) };
export const snapshotNews: SourceOptions<VolumeSnapshot> = { when: (change) => isNews(change, ofSnapshot) };
export const claimNews: SourceOptions<Claim> = {
  when: (change) => (change.type === 'added' ? isBound(change.new) : isNews(change, ofClaim)),
};
