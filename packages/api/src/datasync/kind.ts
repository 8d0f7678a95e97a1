import { entriesOf } from '#common/glossary.ts';
import { apiVersionName, category, pelotechGroup } from '#common/keys.ts';
import { columns, defineKind } from '#kind.ts';
import { dataSyncConditions, dataSyncReasons } from './conditions.ts';
import { dataSyncSpec, dataSyncStatus } from './schema.ts';

/** The kind DataSync. */
export const dataSyncKind = defineKind({
  group: pelotechGroup,
  version: apiVersionName,
  kind: 'DataSync',
  plural: 'datasyncs',
  singular: 'datasync',
  shortNames: ['dsync'],
  scope: 'Namespaced',
  categories: [category],
  description:
    'The set of disk images one version of a workspace needs. Makes one VMDiskImage per item, all in the same global queue.',
  spec: dataSyncSpec,
  status: dataSyncStatus,
  rules: [],
  printerColumns: columns(
    { name: 'Workspace', type: 'string', jsonPath: '.spec.workspaceId', description: 'The workspace the images are for.' },
    { name: 'Synced', type: 'integer', jsonPath: '.status.counts.succeeded', description: 'Images that can be cloned.' },
    { name: 'Total', type: 'integer', jsonPath: '.status.counts.total', description: 'Images in all.' },
  ),
  conditions: entriesOf(dataSyncConditions),
  reasons: entriesOf(dataSyncReasons),
});
