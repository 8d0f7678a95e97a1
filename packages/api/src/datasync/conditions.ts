import { commonConditions, commonReasons, namesOf } from '#common/glossary.ts';

/** Every condition of a DataSync, with what it tells. */
export const dataSyncConditions = {
  Ready: { description: 'Every image of this DataSync has been downloaded and can be cloned.' },
  ...commonConditions,
} as const;

/** What the platform lacks is told by its images: it makes nothing else. */
const { PlatformMissing: _, ...toldByItself } = commonReasons;

/** Every reason a condition of a DataSync may give. */
export const dataSyncReasons = {
  Queued: {
    description: 'At least one image waits in the global queue, and none is being downloaded.',
    whatToDo: 'Nothing. `terrain image queue` shows the order.',
  },
  Syncing: {
    description: 'At least one image is being downloaded.',
    whatToDo: 'Nothing; status.images shows the progress of each.',
  },
  Succeeded: {
    description: 'All images are downloaded.',
    whatToDo: 'Nothing.',
  },
  ImagesFailed: {
    description: 'At least one image was given up; status.images and the message name it. The other images go on.',
    whatToDo: 'Correct the item, or follow the reason of that VMDiskImage.',
  },
  NameTaken: {
    description:
      'An image of the name this item would get exists already and does not belong to this DataSync. It is never taken over.',
    whatToDo: 'Rename the item or the DataSync, or delete the other VMDiskImage.',
  },
  ...toldByItself,
} as const;

/** Names of the conditions of a DataSync. */
export const DataSyncCondition = namesOf(dataSyncConditions);
/** Names of the reasons of a DataSync. */
export const DataSyncReason = namesOf(dataSyncReasons);
/** One of the conditions of a DataSync. */
export type DataSyncCondition = keyof typeof DataSyncCondition;
/** One of the reasons of a DataSync. */
export type DataSyncReason = keyof typeof DataSyncReason;
