import { entriesOf } from '#common/glossary.ts';
import { apiVersionName, category, workshopGroup } from '#common/keys.ts';
import { columns, defineKind } from '#kind.ts';
import { workspaceInstanceConditions, workspaceInstanceReasons } from './conditions.ts';
import { workspaceInstanceSpec, workspaceInstanceStatus } from './schema.ts';

/** The kind WorkspaceInstance. */
export const workspaceInstanceKind = defineKind({
  group: workshopGroup,
  version: apiVersionName,
  kind: 'WorkspaceInstance',
  plural: 'workspaceinstances',
  singular: 'workspaceinstance',
  shortNames: ['wsi'],
  scope: 'Namespaced',
  categories: [category],
  description: "One student's running workshop, made from a WorkspaceTemplate, in a namespace of its own.",
  spec: workspaceInstanceSpec,
  status: workspaceInstanceStatus,
  rules: [],
  printerColumns: columns(
    { name: 'Owner', type: 'string', jsonPath: '.spec.owner', description: 'The student it belongs to.' },
    { name: 'Step', type: 'string', jsonPath: '.status.currentStep', description: 'The step that runs.' },
    // A string, not a date: kubectl prints dates as a time that has passed, and this one is to come.
    { name: 'Expires', type: 'string', jsonPath: '.status.expiresAt', description: 'When its time is over.', priority: 1 },
    {
      name: 'Template',
      type: 'string',
      jsonPath: '.spec.templateRef.name',
      description: 'The template it is made from.',
      priority: 1,
    },
  ),
  conditions: entriesOf(workspaceInstanceConditions),
  reasons: entriesOf(workspaceInstanceReasons),
});
