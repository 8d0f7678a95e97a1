import { entriesOf } from '#common/glossary.ts';
import { apiVersionName, category, workshopGroup } from '#common/keys.ts';
import { referableName } from '#common/rule.ts';
import { columns, defineKind } from '#kind.ts';
import { workspaceTemplateConditions, workspaceTemplateReasons } from './conditions.ts';
import { workspaceTemplateSpec, workspaceTemplateStatus } from './schema.ts';

/** The kind WorkspaceTemplate. */
export const workspaceTemplateKind = defineKind({
  group: workshopGroup,
  version: apiVersionName,
  kind: 'WorkspaceTemplate',
  plural: 'workspacetemplates',
  singular: 'workspacetemplate',
  shortNames: ['wst'],
  scope: 'Cluster',
  categories: [category],
  description:
    'How a workshop runs: lifecycle, isolation, nested cluster, access and steps. Made once per workshop, used by many WorkspaceInstances.',
  spec: workspaceTemplateSpec,
  status: workspaceTemplateStatus,
  rules: [referableName],
  printerColumns: columns(
    { name: 'Steps', type: 'integer', jsonPath: '.status.observedSteps', description: 'Number of steps.' },
    { name: 'Instances', type: 'integer', jsonPath: '.status.instances', description: 'Instances made from this template.' },
  ),
  conditions: entriesOf(workspaceTemplateConditions),
  reasons: entriesOf(workspaceTemplateReasons),
});
