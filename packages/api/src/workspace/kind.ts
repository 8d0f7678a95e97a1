import { entriesOf } from '#common/glossary.ts';
import { apiVersionName, category, pelotechGroup } from '#common/keys.ts';
import { columns, defineKind } from '#kind.ts';
import { workspaceConditions, workspaceReasons } from './conditions.ts';
import { workspaceSpec, workspaceStatus } from './schema.ts';

/** The kind Workspace. */
export const workspaceKind = defineKind({
  group: pelotechGroup,
  version: apiVersionName,
  kind: 'Workspace',
  plural: 'workspaces',
  singular: 'workspace',
  shortNames: ['ws'],
  scope: 'Cluster',
  categories: [category],
  description:
    'Virtual machines and containers on isolated networks, with their volumes, as one unit with one status. Everything lives in the namespace workspace-<name>.',
  spec: workspaceSpec,
  status: workspaceStatus,
  rules: [
    {
      rule: "self.metadata.name.size() <= 53 && !self.metadata.name.contains('.')",
      message:
        'metadata.name must have at most 53 characters and no dots, because the namespace workspace-<name> is made from it; choose another name',
    },
  ],
  printerColumns: columns(
    { name: 'Ready', type: 'string', jsonPath: '.status.ready', description: 'Parts that are ready, of all parts.' },
    {
      name: 'Namespace',
      type: 'string',
      jsonPath: '.status.namespace',
      description: 'The namespace everything is in.',
      priority: 1,
    },
  ),
  conditions: entriesOf(workspaceConditions),
  reasons: entriesOf(workspaceReasons),
});
