/** How far the root disk is. Pure. */
import { instantMs } from '#controllers/shared/condition.ts';
import { isGoing } from '#controllers/shared/removal.ts';
import { type DataVolume, isImported } from '#platform/cdi.ts';
import { shorten } from '#platform/failure.ts';
import { wantedDiskName } from './facts.ts';
import { type Finding, no, type Snapshot, stuck, yes } from './snapshot.ts';

/** A clone that failed is thrown away after this long; so there is at most one try in this time. */
const retryMs = 30_000;

export type DiskState =
  | { readonly kind: 'absent' }
  /** It, or a claim of its name, is on its way out. */
  | { readonly kind: 'going'; readonly finding: Finding }
  | { readonly kind: 'cloning'; readonly disk: DataVolume; readonly finding: Finding }
  /** Nothing was ever on it and nothing will come: to be thrown away, at the given time. */
  | {
      readonly kind: 'broken';
      readonly disk: DataVolume;
      readonly finding: Finding;
      readonly atMs: number;
      readonly isSourceGone: boolean;
    }
  | { readonly kind: 'lost'; readonly disk: DataVolume; readonly finding: Finding }
  | { readonly kind: 'ready'; readonly disk: DataVolume; readonly finding: Finding };

export function diskState(snapshot: Snapshot): DiskState {
  const { machine, disks, claim, kubevirt } = snapshot;
  const name = wantedDiskName(machine);
  const disk = disks.find(({ metadata }) => metadata.name === name);
  if (disk === undefined || isGoing(disk)) {
    if (disk === undefined && (claim === undefined || !isGoing(claim))) return { kind: 'absent' };
    return { kind: 'going', finding: goingFinding(name, kubevirt !== undefined) };
  }
  if (isImported(disk)) return { kind: 'ready', disk, finding: yes('Cloned', `root disk ${name} is there`) };
  const trouble = troubleOf(snapshot, disk);
  if (trouble === undefined) return { kind: 'cloning', disk, finding: no(...cloningWords(disk)) };
  // Once a machine was made of it, people's work may be on it, whatever the platform says today.
  if (kubevirt !== undefined && disk.status?.phase === 'Failed')
    return {
      kind: 'lost',
      disk,
      finding: stuck(
        'RootDiskLost',
        `root disk ${name} has lost its volume: ${complaintOf(disk)}; restore the volume, or change resetToken to begin with a new disk`,
      ),
    };
  if (!trouble.isFinal || kubevirt !== undefined) return { kind: 'cloning', disk, finding: trouble };
  const since = instantMs(disk.metadata.creationTimestamp) ?? 0;
  const isSourceGone = trouble.isSourceGone === true;
  return { kind: 'broken', disk, finding: trouble, isSourceGone, atMs: isSourceGone ? since : since + retryMs };
}

/** A disk no machine was ever made of holds nothing. */
const goingFinding = (name: string, isUsed: boolean): Finding =>
  isUsed
    ? no(
        'RootDiskLost',
        `root disk ${name} was deleted; a new one is cloned when it is gone. If the machine runs on it, that is when the machine stops: save what is on it before`,
      )
    : no('Cloning', `root disk ${name} is being removed; a new one is cloned when it is gone`);

type Trouble = Finding & { readonly isFinal: boolean; readonly isSourceGone?: true };

const quotedOf = ({ status }: DataVolume) =>
  status?.conditions?.find(
    ({ status: is, reason, message }) => is === 'False' && complaints.has(reason ?? '') && (message ?? '') !== '',
  );

/** What CDI says is wrong. */
const complaintOf = (disk: DataVolume): string => shorten(quotedOf(disk)?.message ?? 'the platform says no more');

function troubleOf({ sources }: Snapshot, disk: DataVolume): Trouble | undefined {
  const { phase } = disk.status ?? {};
  const { snapshot } = disk.spec.source ?? {};
  const quoted = quotedOf(disk);
  const words = complaintOf(disk);
  if (phase === 'Failed')
    return {
      ...no('CloneFailed', `root disk ${disk.metadata.name} could not be cloned: ${words}; it is tried again`),
      isFinal: true,
    };
  const hasBegun = (phase ?? '') !== '' && phase !== 'Pending' && phase !== 'CloneScheduled' && phase !== 'Unknown';
  if (snapshot !== undefined && !hasBegun && !sources.has(`${snapshot.namespace}/${snapshot.name}`))
    return {
      ...no('CloneFailed', `VolumeSnapshot ${snapshot.namespace}/${snapshot.name} was gone before it was cloned; begins again`),
      isFinal: true,
      isSourceGone: true,
    };
  if (quoted === undefined) return undefined;
  if (quoted.reason === 'ErrExceededQuota')
    return { ...no('QuotaExceeded', `no room for root disk ${disk.metadata.name}: ${words}`), isFinal: false };
  return { ...no('CloneFailed', `root disk ${disk.metadata.name} is not cloned: ${words}`), isFinal: false };
}

/** Reasons under which CDI tells that a clone does not go on. */
const complaints: ReadonlySet<string> = new Set([
  'ErrExceededQuota',
  'ErrClaimNotValid',
  'ErrIncompatiblePVC',
  'ErrResourceExists',
  'CloneWithoutSource',
  'CloneValidationFailed',
  'CloneSourceInUse',
  'CloneFailed',
  'ClaimLost',
  'Error',
]);

function cloningWords({ metadata, status }: DataVolume): ['Cloning' | 'ExpansionPending', string] {
  const isGrowing = status?.phase === 'ExpansionInProgress' || status?.phase === 'PrepClaimInProgress';
  return isGrowing
    ? [
        'ExpansionPending',
        `root disk ${metadata.name} waits to be made larger; if it lasts, its StorageClass cannot expand volumes: use another for the image, or lower resources.diskSize`,
      ]
    : ['Cloning', `clones root disk ${metadata.name}`];
}
