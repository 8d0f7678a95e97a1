/** Names of disk images and of the storage objects below them. */
import { shortUid } from './identity.ts';
import { maxLabelLength, toLabel, toObjectName } from './label.ts';

/** What a DataVolume or VolumeSnapshot of an image is named from. */
export interface ImageAttempt {
  /** The VMDiskImage's name. */
  name: string;
  /** The VMDiskImage's UID. */
  uid: string;
  /** Number of the attempt, counted from 1 over the whole life of the image. */
  attempt: number;
}

const attemptName = ({ name, uid, attempt }: ImageAttempt, ending: string): string => {
  const tail = `-${shortUid(uid)}-${attempt}${ending}`;
  return `${toLabel(name, { max: maxLabelLength - tail.length })}${tail}`;
};

/**
 * The DataVolume of one attempt: `<name>-<uid8>-<attempt>`. A new name for every attempt: the claim of the last one may still be
 * terminating, and CDI refuses a DataVolume whose claim exists.
 */
export const dataVolumeName = (image: ImageAttempt): string => attemptName(image, '');

/**
 * The VolumeSnapshot cut from an attempt's claim, `<name>-<uid8>-<attempt>-s<cut>`: never the DataVolume's name (a snapshot of that
 * name blocks CDI's clones), and a new one for every cut, since a snapshot that failed may take long to go.
 */
export const volumeSnapshotName = (image: ImageAttempt & { cut: number }): string => attemptName(image, `-s${image.cut}`);

/**
 * The image of one item of a DataSync: `<datasync>-<vm>`, hashed when longer than 63 characters.
 *
 * Caveat: the one name here that two different inputs may share (DataSync `a` with VM `b-c` and DataSync `a-b` with VM `c`), because
 * pipelines rely on the plain form. The owner reference tells whose image it is, and the second DataSync reports NameTaken.
 */
export const dataSyncImageName = (dataSync: string, vm: string): string => toObjectName(`${dataSync}-${vm}`);
