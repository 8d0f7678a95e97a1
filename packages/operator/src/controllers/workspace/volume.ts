/** The volumes of a workspace. Pure. */
import { volumeClaimName, volumeSeedJobName, type WorkspaceVolume } from '@terrain/api';
import { controllerUid } from '@terrain/runtime';
import { isGoing } from '#controllers/shared/removal.ts';
import { type Claim, claimType, defaultStorageClass, type StorageClass } from '#platform/core.ts';
import { type Job, jobEnd, jobType, lastWords, podProblem } from '#platform/workload.ts';
import { fillSource, isFilled, volumeAnnotations } from './desired-volume.ts';
import { pullSecretProblem } from './pull-secret.ts';
import { childOf, type Finding, no, type Snapshot, stuck, yes } from './snapshot.ts';

export const claimOf = (snapshot: Snapshot, { name }: WorkspaceVolume): Claim | undefined =>
  childOf<Claim>(snapshot, claimType, volumeClaimName(name));

export const seedJobOf = (snapshot: Snapshot, { name }: WorkspaceVolume): Job | undefined =>
  childOf<Job>(snapshot, jobType, volumeSeedJobName(name));

/** From what the claim was filled: as recorded on it, or as a Job that has just succeeded says. */
export function filledFrom(snapshot: Snapshot, volume: WorkspaceVolume): string | undefined {
  const claim = claimOf(snapshot, volume);
  const recorded = claim?.metadata.annotations?.[volumeAnnotations.filled];
  if (recorded !== undefined || claim === undefined) return recorded;
  const job = seedJobOf(snapshot, volume);
  if (job === undefined || !isJobOf(job, claim) || jobEnd(job)?.isSuccess !== true) return undefined;
  return job.metadata.annotations?.[volumeAnnotations.filled];
}

/** A Job fills one life of a claim, not its successor of the same name. */
const isJobOf = (job: Job, { metadata }: Claim): boolean => job.metadata.annotations?.[volumeAnnotations.claim] === metadata.uid;

/** Whether the Job does what is asked for now: one that has not ended and fills from somewhere else makes way. */
export function isJobWanted(snapshot: Snapshot, volume: WorkspaceVolume, job: Job, claim: Claim): boolean {
  if (!isJobOf(job, claim)) return false;
  const isOfNow = job.metadata.annotations?.[volumeAnnotations.filled] === fillSource(snapshot.workspace, volume);
  return isOfNow || jobEnd(job)?.isSuccess === true;
}

/** Whether containers may write to it: never while it is being filled. */
export const isUsable = (snapshot: Snapshot, volume: WorkspaceVolume): boolean => {
  const claim = claimOf(snapshot, volume);
  if (claim === undefined || isGoing(claim)) return false;
  return !isFilled(snapshot.workspace, volume) || filledFrom(snapshot, volume) !== undefined;
};

export function volumeFinding(snapshot: Snapshot, volume: WorkspaceVolume): Finding {
  const claim = claimOf(snapshot, volume);
  if (claim === undefined) return no('VolumesPending', 'is being made');
  const text = `claim ${claim.metadata.name}`;
  if (isGoing(claim)) return no('VolumesPending', `${text} is being deleted, and made again when it is gone`);
  const { phase } = claim.status ?? {};
  if (phase === 'Lost')
    return stuck('VolumesPending', `${text} has lost its volume; delete the claim to start with an empty one`);
  const lacking = phase === 'Bound' ? undefined : classProblem(snapshot, volume, text);
  if (lacking !== undefined) return stuck('VolumesPending', lacking);
  if (isFilled(snapshot.workspace, volume) && filledFrom(snapshot, volume) === undefined) {
    const job = seedJobOf(snapshot, volume);
    const end = job === undefined ? undefined : jobEnd(job);
    if (end?.isSuccess === false)
      return stuck(
        'VolumeFillFailed',
        `could not be filled from ${fillSource(snapshot.workspace, volume)}: ${end.message}; delete Job ${job?.metadata.name} to try again`,
      );
    const trouble = job === undefined ? undefined : fillTrouble(snapshot, job, fillSource(snapshot.workspace, volume));
    if (trouble !== undefined) return trouble;
    const unheld = pullSecretProblem(snapshot);
    const words = `is being filled from ${fillSource(snapshot.workspace, volume)}`;
    return unheld === undefined ? no('VolumesPending', words) : no('PullSecretMissing', `${words}, but ${unheld}`);
  }
  return phase === 'Bound' ? yes('Ready', `${text} is bound`) : pending(snapshot, volume, text);
}

/** What keeps the Job from its end, long before it gives up. */
function fillTrouble(snapshot: Snapshot, { metadata }: Job, source: string): Finding | undefined {
  const pods = snapshot.pods.filter((pod) => controllerUid(pod) === metadata.uid);
  const problem = pods.map(podProblem).find((words) => words !== undefined);
  if (problem !== undefined) return stuck('VolumeFillFailed', `cannot be filled from ${source}: ${problem}`);
  const words = pods.map(lastWords).find((text) => text !== undefined);
  return words === undefined
    ? undefined
    : no('VolumeFillFailed', `could not be filled from ${source}: ${words}; it is tried again`);
}

function classOf({ storageClasses }: Snapshot, { storageClass = '' }: WorkspaceVolume): StorageClass | undefined {
  if (storageClass === '') return defaultStorageClass(storageClasses);
  return storageClasses.find(({ metadata }) => metadata.name === storageClass);
}

function classProblem(snapshot: Snapshot, volume: WorkspaceVolume, text: string): string | undefined {
  const { storageClass = '' } = volume;
  if (classOf(snapshot, volume) !== undefined) return undefined;
  return storageClass === ''
    ? `${text} names no StorageClass and the cluster has no default; mark a default, or set storageClass`
    : `StorageClass ${storageClass} of ${text} does not exist; create it, or set another storageClass`;
}

function pending(snapshot: Snapshot, volume: WorkspaceVolume, text: string): Finding {
  if (classOf(snapshot, volume)?.volumeBindingMode === 'WaitForFirstConsumer')
    return yes('Ready', `${text} is bound when the first container uses it`);
  return no('VolumesPending', `${text} is not bound yet; look at its events if that lasts`);
}
