import type { Static } from 'typebox';
import { bounds } from '#common/bounds.ts';
import { commonStatus } from '#common/condition.ts';
import { count, dnsLabel, labelValue, oneOf, text } from '#common/field.ts';
import type { pelotechApiVersion } from '#common/keys.ts';
import { mapList } from '#common/list.ts';
import type { CustomResource } from '#common/metadata.ts';
import { rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';
import { diskSizeField, placementFields, sourceFields, sourceRules } from '#vmdiskimage/source.ts';

const vm = Type.Object(
  {
    name: dnsLabel('The virtual machine. Its disk image is called <name of this DataSync>-<this name>, shortened when too long.'),
    ...sourceFields,
    diskSize: Type.Optional(
      diskSizeField('Size of the disk. Left out: the one in defaults, else defaultDiskSize of the sync policy (32Gi).'),
    ),
    ...placementFields,
  },
  { description: 'One disk image to download.', ...rules(...sourceRules) },
);

const defaults = Type.Object(
  { diskSize: Type.Optional(diskSizeField('Size of disks that give none themselves.')), ...placementFields },
  { description: 'What holds for every item that does not say otherwise.' },
);

/** Schema of `spec`. */
export const dataSyncSpec = Type.Object(
  {
    workspaceId: labelValue('Identifier of the workspace the images are for; a label on each of them.', { minLength: 1 }),
    version: Type.Optional(
      labelValue(
        'Version of the workspace; a label on each image. One DataSync per version lets images of several versions live side by side.',
      ),
    ),
    vms: mapList(vm, ['name'], 'One disk image per virtual machine of the workspace.', { maxItems: bounds.dataSyncVms }),
    defaults: Type.Optional(defaults),
  },
  {
    description: 'The disk images one version of a workspace needs.',
    ...rules({
      rule: "!has(self.defaults) || !has(self.defaults.checksum) || self.vms.all(vm, vm.sourceType == 'http')",
      message:
        'defaults.checksum is verified for sourceType http only, but an item has another sourceType; give checksums per item instead',
      fieldPath: '.defaults',
    }),
  },
);

const image = Type.Object(
  {
    name: text(bounds.nameLength, 'The item of spec.vms.'),
    vmDiskImage: text(253, 'The VMDiskImage made for it.'),
    phase: Type.Optional(oneOf(['Queued', 'Syncing', 'Succeeded', 'Failed'], 'Phase of that image.')),
    progress: Type.Optional(text(8, 'How much of the download is done, such as 42%.')),
    message: Type.Optional(text(bounds.messageLength, 'Message of that image.')),
  },
  { description: 'How one image is doing.' },
);

const counts = Type.Object(
  {
    total: count('Images in all.'),
    queued: count('Images that wait.'),
    syncing: count('Images being downloaded.'),
    succeeded: count('Images machines can clone.'),
    failed: count('Images given up.'),
  },
  { description: 'How many images are in which phase.' },
);

/** Schema of `status`. */
export const dataSyncStatus = Type.Object(
  {
    ...commonStatus(
      ['Queued', 'Syncing', 'Succeeded', 'Failed'],
      'Failed if any image was given up, else Syncing if any syncs, else Queued if any waits, else Succeeded.',
    ),
    images: Type.Optional(mapList(image, ['name'], 'Every image of this DataSync.', { maxItems: bounds.dataSyncVms })),
    counts: Type.Optional(counts),
  },
  { description: 'What the operator found and did. Written by the operator only.' },
);

/** What a DataSync asks for. */
export type DataSyncSpec = Static<typeof dataSyncSpec>;
/** One item of a DataSync. */
export type DataSyncVM = Static<typeof vm>;
/** What the operator reports about a DataSync. */
export type DataSyncStatus = Static<typeof dataSyncStatus>;
/** The set of disk images one workspace version needs. */
export type DataSync = CustomResource<typeof pelotechApiVersion, 'DataSync', DataSyncSpec, DataSyncStatus>;
