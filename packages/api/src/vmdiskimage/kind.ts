import { entriesOf } from '#common/glossary.ts';
import { apiVersionName, category, pelotechGroup } from '#common/keys.ts';
import { referableName } from '#common/rule.ts';
import { columns, defineKind } from '#kind.ts';
import { vmDiskImageConditions, vmDiskImageReasons } from './conditions.ts';
import { vmDiskImageSpec, vmDiskImageStatus } from './schema.ts';

/** The kind VMDiskImage. */
export const vmDiskImageKind = defineKind({
  group: pelotechGroup,
  version: apiVersionName,
  kind: 'VMDiskImage',
  plural: 'vmdiskimages',
  singular: 'vmdiskimage',
  shortNames: ['vmdi'],
  scope: 'Namespaced',
  categories: [category],
  description:
    'Downloads one disk once, through a global first-in-first-out queue, and keeps it as a snapshot that virtual machines clone.',
  spec: vmDiskImageSpec,
  status: vmDiskImageStatus,
  rules: [referableName],
  printerColumns: columns(
    { name: 'Progress', type: 'string', jsonPath: '.status.progress', description: 'How much of the download is done.' },
    { name: 'Refs', type: 'integer', jsonPath: '.status.references', description: 'Virtual machines that refer to this image.' },
  ),
  conditions: entriesOf(vmDiskImageConditions),
  reasons: entriesOf(vmDiskImageReasons),
});
