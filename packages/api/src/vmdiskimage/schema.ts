import type { Static } from 'typebox';
import { bounds } from '#common/bounds.ts';
import { commonStatus } from '#common/condition.ts';
import { count, flag, instant, labelValue, objectName, text } from '#common/field.ts';
import type { pelotechApiVersion } from '#common/keys.ts';
import { atomicList } from '#common/list.ts';
import type { CustomResource } from '#common/metadata.ts';
import { rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';
import { diskSizeField, placementFields, sourceFields, sourceRules } from './source.ts';

const specFields = {
  name: Type.Optional(labelValue('The virtual machine this disk is for. Informational.')),
  ...sourceFields,
  diskSize: diskSizeField('Size of the disk, such as 24Gi. At least the virtual size of the image.'),
  ...placementFields,
  certConfigMap: Type.Optional(
    objectName(
      'ConfigMap in the same namespace with the certificates to trust when downloading, for sources with a private authority.',
    ),
  ),
  retain: Type.Optional(flag('Keep the image even if no machine refers to it any more.', { default: false })),
};

/** What a VMDiskImage asks for. Also the shape of every vmDiskImageTemplate; `description` is the line `kubectl explain` shows there. */
export function vmDiskImageSpecSchema(description: string) {
  return Type.Object(specFields, { description, ...rules(...sourceRules) });
}

/** Schema of `spec`. */
export const vmDiskImageSpec = vmDiskImageSpecSchema('The disk to download, and where to keep it.');

const attempt = Type.Object(
  {
    number: count('Number of the attempt; it never restarts in the life of the object.'),
    sourceHash: text(64, 'Hash of the source being downloaded.'),
    startedAt: instant('When the attempt got its slot.'),
    progressedAt: Type.Optional(instant('When progress was last reported here.')),
    dataVolume: Type.Optional(text(253, 'The DataVolume that downloads.')),
    dataVolumeUID: Type.Optional(text(64, 'UID of that DataVolume, once it was seen; one that is gone afterwards was lost.')),
    volumeSnapshot: Type.Optional(text(253, 'The VolumeSnapshot being cut from it.')),
    kills: Type.Optional(
      count('How often an importer was killed for its memory and replaced by another, which no DataVolume counts.'),
    ),
    falls: Type.Optional(count('How often progress was seen to fall back: a download that began again from byte 0.')),
  },
  { description: 'The download that is running or was the last to run.' },
);

const retry = Type.Object(
  {
    sourceHash: Type.Optional(
      text(64, 'Hash of the source this is about; all but lastAttempt and token start anew with another source.'),
    ),
    failures: Type.Optional(count('Failed attempts of the current source.')),
    lastAttempt: Type.Optional(count('The last attempt whose outcome was counted.')),
    lastReason: Type.Optional(text(1024, 'Why the last attempt failed, in one word.')),
    lastMessage: Type.Optional(text(1024, 'Why the last attempt failed, in the words of the platform.')),
    lastFailureTime: Type.Optional(instant('When the last attempt failed.')),
    nextRetryAt: Type.Optional(instant('When the image joins the queue again.')),
    gaveUp: Type.Optional(
      Type.Object(
        {
          at: instant('When it was given up.'),
          reason: text(1024, 'Why it was given up.'),
        },
        { description: 'Present once no further attempt is made until the source or the annotation pelotech.ot/retry changes.' },
      ),
    ),
    token: Type.Optional(text(253, 'The last value of the annotation pelotech.ot/retry that was honoured.')),
  },
  { description: 'What is remembered between attempts.' },
);

const artifact = Type.Object(
  {
    volumeSnapshot: text(253, 'The VolumeSnapshot machines clone their root disk from.'),
    dataVolume: text(253, 'The DataVolume it was cut from; kept so that a lost snapshot can be cut again without a download.'),
    restoreSize: Type.Optional(text(bounds.quantityLength, 'Smallest disk the snapshot can be restored to.')),
    url: Type.Optional(text(bounds.urlLength, 'Where it was downloaded from.')),
    sourceHash: text(64, 'Hash of the source it was downloaded from.'),
    syncedAt: instant('When it became usable.'),
  },
  { description: 'What machines clone now. Stays usable while a newer source is being downloaded.' },
);

const historyEntry = Type.Object(
  {
    url: Type.Optional(text(bounds.urlLength, 'Where it was downloaded from.')),
    sourceHash: text(64, 'Hash of the source.'),
    attempt: count('Number of the attempt.'),
    started: instant('When the attempt got its slot.'),
    ended: instant('When it ended.'),
    result: text(1024, 'How it ended: Succeeded, or the reason of the failure.'),
  },
  { description: 'One finished attempt.' },
);

/** Schema of `status`. */
export const vmDiskImageStatus = Type.Object(
  {
    ...commonStatus(
      ['Queued', 'Syncing', 'Succeeded', 'Failed'],
      'Queued: waits for a slot or a precondition. Syncing: downloads or cuts the snapshot. Succeeded: machines can clone it. Failed: given up.',
    ),
    progress: Type.Optional(text(8, 'How much of the download is done, such as 42%.')),
    queuedAt: Type.Optional(instant('Since when the image has its place in the global queue.')),
    ticket: Type.Optional(
      text(20, 'Decides the order of images queued within the same second: the resource version first seen.'),
    ),
    attempt: Type.Optional(attempt),
    retry: Type.Optional(retry),
    artifact: Type.Optional(artifact),
    references: Type.Optional(
      count('Number of virtual machines that refer to this image. It cannot be deleted while there are any.'),
    ),
    referencedBy: Type.Optional(
      atomicList(text(317, 'A machine, as namespace/name.'), 'Up to three of the machines that refer to this image.', {
        maxItems: 3,
      }),
    ),
    referencesAsOf: Type.Optional(text(20, 'The resource version of VirtualMachines the references were counted up to.')),
    unreferencedSince: Type.Optional(instant('Since when no machine refers to this image.')),
    history: Type.Optional(atomicList(historyEntry, 'The last ten finished attempts, newest first.', { maxItems: 10 })),
  },
  { description: 'What the operator found and did. Written by the operator only.' },
);

/** What a VMDiskImage asks for. */
export type VMDiskImageSpec = Static<typeof vmDiskImageSpec>;
/** What the operator reports about a VMDiskImage. */
export type VMDiskImageStatus = Static<typeof vmDiskImageStatus>;
/** Downloads one disk once, through a global queue, and keeps it as a snapshot to clone from. */
export type VMDiskImage = CustomResource<typeof pelotechApiVersion, 'VMDiskImage', VMDiskImageSpec, VMDiskImageStatus>;
