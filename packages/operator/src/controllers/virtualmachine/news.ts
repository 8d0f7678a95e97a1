/**
 * Which changes of what surrounds a machine can change a decision about it. CDI and KubeVirt write each of their objects several times for
 * reasons of their own, and an image counts hundreds of machines one after the other.
 *
 * What decisions read must be compared here: a change that is passed over is seen only by the next pass, whatever causes it.
 */
import { isDeepStrictEqual } from 'node:util';
import type { VMDiskImage } from '@terrain/api';
import type { Change, ObjectMeta, SourceOptions } from '@terrain/runtime';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim } from '#platform/core.ts';
import { isUnderWay, type KubevirtInstance, kubevirtCondition } from '#platform/kubevirt.ts';

type Facts = readonly unknown[];

const inMetadata = ({ deletionTimestamp, labels, ownerReferences }: ObjectMeta): Facts => [
  deletionTimestamp,
  labels,
  ownerReferences,
];

/** All but who counts on it. */
function ofImage({ metadata, spec, status = {} }: VMDiskImage): Facts {
  const { references: _, referencedBy: _names, referencesAsOf: _asOf, unreferencedSince: _since, ...told } = status;
  return [spec, told, ...inMetadata(metadata)];
}

const ofDisk = ({ metadata, status = {} }: DataVolume): Facts => {
  const complaints = (status.conditions ?? []).filter(({ status: is, message = '' }) => is === 'False' && message !== '');
  return [status.phase, complaints.map(({ type, reason, message }) => [type, reason, message]), ...inMetadata(metadata)];
};

const ofClaim = ({ metadata, spec, status }: Claim): Facts => [spec, status?.capacity, ...inMetadata(metadata)];

const ofInstance = (instance: KubevirtInstance): Facts => [
  isUnderWay(instance),
  instance.status?.phase === 'Running',
  instance.status?.interfaces,
  kubevirtCondition(instance, 'AgentConnected')?.status,
  kubevirtCondition(instance, 'Synchronized')?.message,
  ...inMetadata(instance.metadata),
];

const newsOf = <T>(factsOf: (object: T) => Facts): SourceOptions<T> => ({
  when: (change: Change<T>) => change.type !== 'updated' || !isDeepStrictEqual(factsOf(change.old), factsOf(change.new)),
});

export const imageNews = newsOf(ofImage);
export const diskNews = newsOf(ofDisk);
export const claimNews = newsOf(ofClaim);
export const instanceNews = newsOf(ofInstance);
/** An image has counted more of the machines that refer to it. */
export const countNews: SourceOptions<VMDiskImage> = {
  when: (change) => change.type === 'updated' && change.old.status?.referencesAsOf !== change.new.status?.referencesAsOf,
};
