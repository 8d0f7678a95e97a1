/**
 * Which changes of an image's children can change a decision about it. CDI and the controller of snapshots write each of them several
 * times for reasons of their own.
 *
 * What decisions read must be compared here: a change that is passed over is seen only by the next pass, whatever causes it.
 */
import { labels } from '@terrain/api';
import type { Change, ObjectMeta, SourceOptions, StoreReader } from '@terrain/runtime';
import { conditionOf, type DataVolume, isImported, isUnfinished } from '#platform/cdi.ts';
import type { Claim } from '#platform/core.ts';
import { shownFailure } from '#platform/failure.ts';
import { isReadyToUse, type VolumeSnapshot } from '#platform/snapshot.ts';
import { isBound } from './facts.ts';

type Facts = readonly (string | number | boolean | undefined)[];

const inMetadata = ({ deletionTimestamp, labels: given, ownerReferences }: ObjectMeta): Facts => {
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  return [deletionTimestamp, given?.[labels.attempt], given?.[labels.sourceHash], owner?.uid, owner?.name];
};

/** What leads to another step. */
const ofVolume = (volume: DataVolume): Facts => {
  const { reason, message } = shownFailure(volume) ?? {};
  return [isImported(volume), isUnfinished(volume), volume.status?.restartCount, reason, message, ...inMetadata(volume.metadata)];
};

/** What is told to people, and what deadlines are counted from. */
const onTheWay = (volume: DataVolume): Facts => {
  const { status, message } = conditionOf(volume, 'Running') ?? {};
  return [volume.status?.progress, status, message];
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

/** CDI says that a download is complete a moment before its claim is bound; then it is the claim that is waited for. */
const isEarly = (change: Change<DataVolume>, claims: Pick<StoreReader<Claim>, 'get'>): boolean =>
  change.type === 'updated' &&
  !isImported(change.old) &&
  isImported(change.new) &&
  change.new.metadata.deletionTimestamp === undefined &&
  !isBound(claims.get(change.key));

export const volumeNews = (claims: Pick<StoreReader<Claim>, 'get'>): SourceOptions<DataVolume> => ({
  when: (change) => isNews(change, ofVolume) && !isEarly(change, claims),
});

/** Whether there is something to tell of a download that goes on. It can wait, as long as what is told about it may. */
export const isOnTheWay = (change: Change<DataVolume>): boolean =>
  change.type === 'updated' &&
  (isImported(change.old) !== isImported(change.new) || !isSame(onTheWay(change.old), onTheWay(change.new)));

export const snapshotNews: SourceOptions<VolumeSnapshot> = { when: (change) => isNews(change, ofSnapshot) };
export const claimNews: SourceOptions<Claim> = {
  when: (change) => (change.type === 'added' ? isBound(change.new) : isNews(change, ofClaim)),
};
