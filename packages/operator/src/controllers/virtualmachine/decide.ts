/** What is to be done for a machine. Pure: from what was observed, never from its own phase. */

import type { VMDiskImage } from '@terrain/api';
import { isGoing } from '#controllers/shared/removal.ts';
import type { DataVolume } from '#platform/cdi.ts';
import type { KubevirtMachine } from '#platform/kubevirt.ts';
import { isPaused, wantedDiskName } from './facts.ts';
import { type Artifact, imageOfClone, imageState } from './image.ts';
import { type NetworkState, networkState } from './network.ts';
import { type DiskState, diskState } from './root-disk.ts';
import { type Finding, no, type Snapshot } from './snapshot.ts';

/** The next thing to do. */
export type Step =
  | { readonly kind: 'remove' }
  | { readonly kind: 'rest' }
  | { readonly kind: 'createImage' }
  | { readonly kind: 'clone'; readonly image: VMDiskImage; readonly artifact: Artifact }
  /** Disks go, after the machine that may be using them. */
  | {
      readonly kind: 'clear';
      readonly kubevirt?: KubevirtMachine;
      readonly disks: readonly DataVolume[];
      /** The snapshot whose absence is the reason. */
      readonly absent?: { readonly namespace: string; readonly name: string };
    }
  /** All data is there: the guest's configuration and the machine are made, and kept as they should be. */
  | { readonly kind: 'run' };

export type Decision = {
  readonly step: Step;
  readonly image: Finding;
  readonly disk: Finding;
  readonly networks: NetworkState;
  /** The root disk, if it is there in any state. */
  readonly rootDisk?: DataVolume;
  /** When time alone changes something. */
  readonly atMs?: number;
};

export function decide(snapshot: Snapshot): Decision {
  const disk = diskState(snapshot);
  const decision = look(snapshot, disk);
  const { machine, isNamespaceTerminating } = snapshot;
  if (isPaused(snapshot)) return { ...decision, step: { kind: 'rest' } };
  if (isGoing(machine)) return { ...decision, step: { kind: 'remove' } };
  // Such a namespace takes nothing new, and the machine's own deletion is on its way.
  return isNamespaceTerminating ? { ...decision, step: { kind: 'rest' } } : decision;
}

function look(snapshot: Snapshot, disk: DiskState): Decision {
  const networks = networkState(snapshot);
  const name = wantedDiskName(snapshot.machine);
  const others = snapshot.disks.filter(({ metadata }) => metadata.name !== name);
  if (disk.kind === 'absent') return prepare(snapshot, networks, others);
  const rootDisk = 'disk' in disk ? disk.disk : undefined;
  const source = rootDisk?.spec.source?.snapshot;
  const found = {
    image: imageOfClone(snapshot, source),
    disk: disk.finding,
    networks,
    ...(rootDisk === undefined ? {} : { rootDisk }),
  };
  if (disk.kind === 'ready') return { ...found, step: clearOrRun(snapshot, others) };
  if (disk.kind !== 'broken') return { ...found, step: { kind: 'rest' } };
  if (snapshot.nowMs < disk.atMs) return { ...found, step: { kind: 'rest' }, atMs: disk.atMs };
  const absent = disk.isSourceGone ? source : undefined;
  return { ...found, step: { kind: 'clear', disks: [disk.disk], ...(absent === undefined ? {} : { absent }) } };
}

/** Disks of other reset tokens are only ever left beside a finished one by an operator that was not alone. */
function clearOrRun({ kubevirt }: Snapshot, others: readonly DataVolume[]): Step {
  const disks = others.filter((disk) => !isGoing(disk));
  if (disks.length === 0) return { kind: 'run' };
  return { kind: 'clear', disks, ...(kubevirt !== undefined && usesAny(kubevirt, disks) ? { kubevirt } : {}) };
}

/** Whether a machine has one of these disks. */
export function usesAny({ spec }: KubevirtMachine, disks: readonly DataVolume[]): boolean {
  const volumes = spec.template.spec?.volumes ?? [];
  return disks.some(({ metadata }) => volumes.some(({ dataVolume }) => dataVolume?.name === metadata.name));
}

/** There is no root disk: make sure of the image, then clone. `old` are disks of former reset tokens. */
function prepare(snapshot: Snapshot, networks: NetworkState, old: readonly DataVolume[]): Decision {
  const { platform, kubevirt } = snapshot;
  const image = imageState(snapshot);
  const isReset = old.length > 0;
  const waits = isReset
    ? no('Resetting', `resetToken changed: root disk ${old[0]?.metadata.name} is replaced by a new clone`)
    : no('Waiting', image.finding.message);
  const found = { image: image.finding, disk: waits, networks };
  const rest = (disk: Finding): Decision => ({ ...found, disk, step: { kind: 'rest' } });
  if (!platform.hasDataVolumes)
    return rest(
      no(
        'PlatformMissing',
        'CDI is not installed in this cluster: DataVolumes (cdi.kubevirt.io/v1beta1) are not served; install it, and the machine goes on by itself',
      ),
    );
  if (image.kind === 'create') return { ...found, step: { kind: 'createImage' } };
  if (image.kind === 'wait') return rest(waits);
  const { storageClass = '' } = image.image.spec;
  if (!platform.hasStorageClass(storageClass))
    return rest(
      no(
        'StorageClassMissing',
        storageClass === ''
          ? 'the image names no storageClass and the cluster has no default StorageClass; mark a default'
          : `StorageClass ${storageClass} of the image does not exist; create it`,
      ),
    );
  // The old disk is given up only now that a new one can be had.
  if (isReset) return { ...found, step: { kind: 'clear', disks: old, ...(kubevirt === undefined ? {} : { kubevirt }) } };
  return { ...found, step: { kind: 'clone', image: image.image, artifact: image.artifact } };
}
