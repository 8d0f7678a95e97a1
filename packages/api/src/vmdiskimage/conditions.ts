import { commonConditions, commonReasons, namesOf } from '#common/glossary.ts';

/** Every condition of a VMDiskImage, with what it tells. */
export const vmDiskImageConditions = {
  Ready: {
    description:
      'A snapshot of the source the spec names can be cloned. False while it is queued, downloading or given up; the reason says which. An older snapshot may still be usable meanwhile, see status.artifact.',
  },
  Imported: { description: 'The source the spec names has been downloaded completely into a volume.' },
  Snapshotted: { description: 'A snapshot of that volume has been cut and is ready to use.' },
  ...commonConditions,
} as const;

/** Every reason a condition of a VMDiskImage may give. */
export const vmDiskImageReasons = {
  Queued: {
    description: 'The image waits for one of the slots that the sync policy allows.',
    whatToDo:
      'Nothing. `terrain image queue` shows its place; a higher `concurrency` in the policy lets more images sync at once.',
  },
  PolicyPaused: {
    description: 'The sync policy sets `concurrency` to 0, so no download starts anywhere.',
    whatToDo: 'Raise `concurrency` in the ConfigMap sync-operator-policy when downloads may go on.',
  },
  Importing: {
    description: 'The disk is being downloaded; status.progress says how far it is.',
    whatToDo: 'Nothing.',
  },
  Snapshotting: {
    description: 'The download is complete and a snapshot of it is being cut.',
    whatToDo: 'Nothing, unless it lasts: then look at the events of the VolumeSnapshot the message names.',
  },
  SnapshotFailed: {
    description:
      'Three snapshots in a row could not be cut from the downloaded volume. The volume is kept, so another try needs no download.',
    whatToDo: 'Look at the VolumeSnapshotClass and the storage driver; then set the annotation pelotech.ot/retry to a new value.',
  },
  Updating: {
    description: 'The source has changed and is being downloaded. The snapshot of the former source stays; new machines wait.',
    whatToDo: 'Nothing.',
  },
  Succeeded: {
    description: 'The snapshot is ready and machines can clone it.',
    whatToDo: 'Nothing.',
  },
  Cancelled: {
    description: 'A person ended the download with the annotation pelotech.ot/cancel.',
    whatToDo: 'Remove that annotation and set pelotech.ot/retry to a new value to download after all.',
  },
  RetryBackoff: {
    description:
      'The last attempt failed in a way that may pass. The image joins the end of the queue at status.retry.nextRetryAt.',
    whatToDo: 'Nothing; or set the annotation pelotech.ot/retry to a new value to try at once.',
  },
  RetryLimitReached: {
    description:
      'As many attempts failed as the sync policy allows; the image is given up. status.retry.lastReason says why the last one failed.',
    whatToDo: 'Remove the cause, then change the source or set the annotation pelotech.ot/retry to a new value.',
  },
  SourceNotFound: {
    description: 'The server says that there is nothing at this url. Trying again would not help, so the image is given up.',
    whatToDo: 'Correct spec.url, or publish the image and set the annotation pelotech.ot/retry to a new value.',
  },
  SourceForbidden: {
    description:
      'The server refuses the download with these credentials. Some servers also answer so when there is nothing at the url.',
    whatToDo:
      'Check the keys in the Secret of spec.secretRef and their rights, then set the annotation pelotech.ot/retry to a new value.',
  },
  SourceUnreachable: {
    description: 'The server could not be reached, was overloaded, or broke the connection. Retried as the policy allows.',
    whatToDo: 'If it lasts, check the name in spec.url and the way from the cluster to that server.',
  },
  NotAnImage: {
    description: 'What was downloaded is not a disk image the platform can read.',
    whatToDo: 'Point spec.url at a qcow2, raw, vmdk, vdi, vhd or vhdx image (or one compressed with gz, xz or zstd).',
  },
  ChecksumMismatch: {
    description: 'The download does not have the digest in spec.checksum; it was thrown away.',
    whatToDo: 'Correct spec.checksum, or find out why the file at spec.url is another one.',
  },
  DiskTooSmall: {
    description: 'The image is larger than spec.diskSize.',
    whatToDo: 'Raise spec.diskSize to the virtual size of the image or more.',
  },
  ImporterFailed: {
    description:
      'The download stopped for a cause the platform does not classify, such as too little memory. Retried as the policy allows.',
    whatToDo: 'Read the platform’s words in status.retry.lastMessage.',
  },
  SecretMissing: {
    description:
      'The Secret spec.secretRef names does not exist, or sourceType s3 has no secretRef. No download starts, no slot is taken.',
    whatToDo: 'Create the Secret, or for a public bucket use sourceType http. The image goes on by itself.',
  },
  SecretInvalid: {
    description:
      'The Secret lacks the keys accessKeyId or secretKey, holds a value that cannot be sent in a header, or cannot be read by the operator. No download starts, no slot is taken.',
    whatToDo: 'Correct the Secret, or what the message says keeps it from being read. The image goes on by itself.',
  },
  CertConfigMapMissing: {
    description:
      'The ConfigMap spec.certConfigMap names does not exist, or cannot be read by the operator. No download starts, no slot is taken.',
    whatToDo: 'Create the ConfigMap, or remove what the message says keeps it from being read. The image goes on by itself.',
  },
  StorageClassMissing: {
    description: 'The StorageClass does not exist, or none is named and the cluster has no default.',
    whatToDo:
      'Correct spec.storageClass, create the class, or mark a default. The image goes on by itself once the class exists.',
  },
  SnapshotClassMissing: {
    description: 'The VolumeSnapshotClass does not exist, or none is named and the driver has no default.',
    whatToDo:
      'Correct spec.snapshotClass, create the class, or mark a default. The image goes on by itself once the class exists.',
  },
  QuotaExceeded: {
    description: 'A quota of the namespace leaves no room for the volume. It takes no slot and counts as no attempt.',
    whatToDo: 'Raise the quota or free space in the namespace. The image goes on by itself.',
  },
  NoProgress: {
    description: 'The download made no progress for as long as the policy’s noProgressTimeout; the attempt was ended.',
    whatToDo: 'Check the server and the nodes; raise noProgressTimeout if such pauses are normal here.',
  },
  AttemptTimedOut: {
    description: 'The attempt took longer than the policy’s attemptTimeout and was ended.',
    whatToDo: 'Raise attemptTimeout in the policy for images of this size, or use a faster source.',
  },
  DataVolumeLost: {
    description: 'The DataVolume of a running download was deleted by someone else; the attempt is over.',
    whatToDo: 'Find out who deletes DataVolumes in this namespace. The image is retried as the policy allows.',
  },
  ArtifactLost: {
    description:
      'Snapshot and volume of a finished download are both gone; the image is queued again. Running machines are not affected.',
    whatToDo: 'Find out who deletes snapshots and volumes in this namespace.',
  },
  InUse: {
    description: 'The image is being deleted, but machines still refer to it.',
    whatToDo: 'Delete the machines the message names, or let them refer to another image.',
  },
  ...commonReasons,
} as const;

/** Names of the conditions of a VMDiskImage. */
export const VMDiskImageCondition = namesOf(vmDiskImageConditions);
/** Names of the reasons of a VMDiskImage. */
export const VMDiskImageReason = namesOf(vmDiskImageReasons);
/** One of the conditions of a VMDiskImage. */
export type VMDiskImageCondition = keyof typeof VMDiskImageCondition;
/** One of the reasons of a VMDiskImage. */
export type VMDiskImageReason = keyof typeof VMDiskImageReason;
