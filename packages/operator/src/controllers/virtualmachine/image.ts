/** What the disk image is good for at this moment. Pure. */

import { sourceHash, type VMDiskImage } from '@terrain/api';
import { compareVersions } from '@terrain/runtime';
import { isGoing } from '#controllers/shared/removal.ts';
import { imageNamespaceOf, imageText } from './facts.ts';
import { type Finding, no, type Snapshot, type StoredMachine, stuck, yes } from './snapshot.ts';

/** What VMs clone. */
export type Artifact = NonNullable<NonNullable<VMDiskImage['status']>['artifact']>;

/** What a root disk was cloned from. */
type CloneSource = { readonly namespace: string; readonly name: string };

export type ImageState =
  /** It is to be made from the template. */
  | { readonly kind: 'create'; readonly finding: Finding }
  | { readonly kind: 'wait'; readonly finding: Finding }
  | { readonly kind: 'usable'; readonly image: VMDiskImage; readonly artifact: Artifact; readonly finding: Finding };

/**
 * Whether a root disk may be cloned from the image.
 *
 * Guarantees: `usable` only if the image is not being deleted, has a download of its current source (or was given up and has an
 * older one), and counts this very version of the machine among its references: from then on it cannot be deleted.
 */
export function imageState(snapshot: Snapshot): ImageState {
  const { image, machine } = snapshot;
  if (image === undefined) return absentImage(snapshot);
  const name = imageText(machine);
  if (isGoing(image)) return wait(no('ImageGone', `${name} is being deleted; create it again when it is gone, or name another`));
  const { artifact } = image.status ?? {};
  const isCurrent = artifact !== undefined && artifact.sourceHash === sourceHash(image.spec);
  const isGivenUp = isTrue(image, 'Stalled') && image.status?.observedGeneration === image.metadata.generation;
  const words = image.status?.message ?? 'nothing is reported about it yet';
  if (artifact !== undefined && ((isCurrent && isTrue(image, 'Ready')) || (!isCurrent && isGivenUp))) {
    if (!counts(image, machine))
      return wait(no('ReferencePending', `waits for ${name} to count this machine, so that it cannot be deleted meanwhile`));
    return { kind: 'usable', image, artifact, finding: usableFinding(name, artifact, isCurrent) };
  }
  if (isGivenUp) return wait(stuck('DiskImageFailed', `${name} failed: ${words}`));
  return wait(no('DiskImageNotReady', `waits for ${name}, which is ${image.status?.phase ?? 'Queued'}: ${words}`));
}

function absentImage({ machine, imageNamespace }: Snapshot): ImageState {
  const name = imageText(machine);
  const namespace = imageNamespaceOf(machine);
  if (imageNamespace !== 'there')
    return wait(
      no(
        'DiskImageMissing',
        `${name} does not exist, because its namespace ${imageNamespace === 'absent' ? 'does not' : `${namespace} is being deleted`}; create the namespace, or correct vmDiskImageRef`,
      ),
    );
  if (machine.spec.vmDiskImageTemplate === undefined)
    return wait(
      no('DiskImageMissing', `${name} does not exist; create it, correct vmDiskImageRef, or add a vmDiskImageTemplate`),
    );
  return { kind: 'create', finding: no('DiskImageNotReady', `${name} is made from vmDiskImageTemplate`) };
}

/** What the condition says once the root disk is there: what becomes of the image afterwards does not concern the machine. */
export function imageOfClone({ image, machine }: Snapshot, source: CloneSource | undefined): Finding {
  const name = imageText(machine);
  if (image === undefined || isGoing(image))
    return no('ImageGone', `${name} ${image === undefined ? 'is gone' : 'is being deleted'}; the root disk is not affected`);
  const { artifact } = image.status ?? {};
  const isOld =
    artifact !== undefined &&
    artifact.volumeSnapshot === source?.name &&
    artifact.sourceHash !== sourceHash(image.spec) &&
    isTrue(image, 'Stalled');
  if (isOld) return usableFinding(name, artifact, false);
  // Not the image of vmDiskImageRef, which may be another by now.
  return yes('Cloned', source === undefined ? 'a root disk was cloned' : cloneText(source));
}

const cloneText = ({ namespace, name }: CloneSource): string =>
  `the root disk was cloned from VolumeSnapshot ${namespace}/${name}`;

function usableFinding(name: string, { volumeSnapshot }: Artifact, isCurrent: boolean): Finding {
  if (isCurrent) return yes('Ready', `${name} can be cloned`);
  return yes(
    'OldArtifact',
    `the newer source of ${name} could not be downloaded; the last good download, VolumeSnapshot ${volumeSnapshot}, is used`,
  );
}

const counts = ({ status }: VMDiskImage, { metadata }: StoredMachine): boolean =>
  status?.referencesAsOf !== undefined && compareVersions(status.referencesAsOf, metadata.resourceVersion) >= 0;

const isTrue = ({ status }: VMDiskImage, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

const wait = (finding: Finding): ImageState => ({ kind: 'wait', finding });
