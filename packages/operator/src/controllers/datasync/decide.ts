/** What is to be done for a DataSync. Pure: from what was observed, never from its own phase. */
import { annotations, dataSyncImageName, finalizers, type VMDiskImage } from '@terrain/api';
import { controllerUid } from '@terrain/runtime';
import { changeOf, desiredImage, type ImagePatch } from './desired.ts';
import type { Snapshot, StoredImage } from './observe.ts';

/** The effects of one pass; in steady state there are none. */
export type Plan = {
  readonly addsFinalizer: boolean;
  readonly create: readonly VMDiskImage[];
  readonly change: readonly Change[];
  /** Its own images that no item asks for: unused ones are deleted, used ones released. */
  readonly leave: readonly StoredImage[];
};
type Change = { readonly image: StoredImage; readonly patch: ImagePatch };

const nothing: Plan = { addsFinalizer: false, create: [], change: [], leave: [] };

export const isDeleted = ({ dataSync }: Snapshot): boolean => dataSync.metadata.deletionTimestamp !== undefined;

/** A namespace on its way out is not held up by a pause. */
export const isPaused = ({ dataSync, isNamespaceTerminating }: Snapshot): boolean =>
  dataSync.metadata.annotations?.[annotations.paused] === 'true' && !isNamespaceTerminating;

export const isOwn = ({ dataSync }: Snapshot, image: StoredImage): boolean => controllerUid(image) === dataSync.metadata.uid;

const isGoing = ({ metadata }: StoredImage): boolean => metadata.deletionTimestamp !== undefined;

/** Whether whoever deletes it wants to keep its images. The garbage collector takes their owner away then, and this finalizer when it has. */
const isOrphaning = ({ dataSync }: Snapshot): boolean => dataSync.metadata.finalizers?.includes('orphan') === true;

/** Names of the images its items ask for; a DataSync that is being deleted asks for none. */
export function wantedNames(snapshot: Snapshot): Set<string> {
  const { metadata, spec } = snapshot.dataSync;
  return new Set(isDeleted(snapshot) ? [] : spec.vms.map((vm) => dataSyncImageName(metadata.name, vm.name)));
}

/** Its own images that no item asks for any more. */
export function leavingOf(snapshot: Snapshot): StoredImage[] {
  if (isDeleted(snapshot) && isOrphaning(snapshot)) return [];
  const wanted = wantedNames(snapshot);
  return [...snapshot.images.values()].filter((image) => isOwn(snapshot, image) && !wanted.has(image.metadata.name));
}

export function decide(snapshot: Snapshot): Plan {
  if (isPaused(snapshot)) return nothing;
  const leave = leavingOf(snapshot);
  if (isDeleted(snapshot)) return { ...nothing, leave };
  const { dataSync, images, isNamespaceTerminating } = snapshot;
  const create: VMDiskImage[] = [];
  const change: Change[] = [];
  for (const vm of dataSync.spec.vms) {
    const desired = desiredImage(snapshot, vm);
    const image = images.get(desired.metadata.name);
    if (image === undefined) {
      // Such a namespace takes nothing new.
      if (!isNamespaceTerminating) create.push(desired);
    } else if (isOwn(snapshot, image) && !isGoing(image)) {
      const patch = changeOf(desired, image);
      if (patch !== undefined) change.push({ image, patch });
    }
  }
  const addsFinalizer = dataSync.metadata.finalizers?.includes(finalizers.pelotechCleanup) !== true && !isNamespaceTerminating;
  return { addsFinalizer, create, change, leave };
}
