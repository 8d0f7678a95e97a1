import type { Static } from 'typebox';
import { bounds } from '#common/bounds.ts';
import { commonStatus } from '#common/condition.ts';
import { count, flag, labelValue, oneOf, text } from '#common/field.ts';
import type { workshopApiVersion } from '#common/keys.ts';
import { mapList, setList } from '#common/list.ts';
import type { CustomResource } from '#common/metadata.ts';
import { Type } from '#schema/type.ts';
import { pullSecretRef, workspaceSpecSchema } from '#workspace/schema.ts';
import { defaultOverridablePaths, instanceSettings, overridablePaths } from './defaults.ts';

const step = Type.Object(
  {
    id: labelValue('Identifier of the step, as in workshop.yaml.', { minLength: 1 }),
    title: Type.Optional(text(256, 'Title of the step, for people.')),
    imageTag: text(512, 'Container image of the step, with its tag, such as myorg/kubernetes-101:step-1-intro.', {
      minLength: 1,
    }),
    checkpoint: Type.Optional(flag('A good place to go back to: shown as such to students and instructors.', { default: false })),
  },
  { description: 'One step of the workshop. Written by the CLI from a compiled workshop.' },
);

/** Schema of `spec`. */
export const workspaceTemplateSpec = Type.Object(
  {
    defaults: instanceSettings('template', 'How instances run.'),
    overridable: Type.Optional(
      setList(oneOf(overridablePaths, 'A path below defaults.'), 'What an instance may override.', {
        maxItems: overridablePaths.length,
        default: [...defaultOverridablePaths],
      }),
    ),
    steps: Type.Optional(mapList(step, ['id'], 'The steps of the workshop, in order.', { maxItems: bounds.steps })),
    imagePullSecrets: Type.Optional(
      mapList(
        pullSecretRef,
        ['name'],
        "Pull secrets for the step images, read from the operator's namespace. Naming one takes the right to get it there.",
        {
          maxItems: bounds.pullSecrets,
        },
      ),
    ),
    workspace: Type.Optional(
      workspaceSpecSchema('A lab of machines, containers and networks that every instance gets for itself.'),
    ),
  },
  { description: 'How a workshop runs, and its steps.' },
);

/** Schema of `status`. */
export const workspaceTemplateStatus = Type.Object(
  {
    ...commonStatus(
      ['Pending', 'Ready', 'Failed'],
      'Pending: something it refers to is missing. Ready: instances can be made from it. Failed: it asks for something that does not exist.',
    ),
    instances: Type.Optional(count('Instances made from this template. It cannot be deleted while there are any.')),
    observedSteps: Type.Optional(count('Number of steps the operator has seen.')),
  },
  { description: 'What the operator found and did. Written by the operator only.' },
);

/** What a WorkspaceTemplate says. */
export type WorkspaceTemplateSpec = Static<typeof workspaceTemplateSpec>;
/** How instances run: the shape of `defaults` in a template and of `overrides` in an instance. */
export type InstanceSettings = NonNullable<WorkspaceTemplateSpec['defaults']>;
/** One step of a workshop. */
export type WorkspaceTemplateStep = Static<typeof step>;
/** What the operator reports about a WorkspaceTemplate. */
export type WorkspaceTemplateStatus = Static<typeof workspaceTemplateStatus>;
/** How a workshop runs: lifecycle, isolation, nested cluster, access, steps. */
export type WorkspaceTemplate = CustomResource<
  typeof workshopApiVersion,
  'WorkspaceTemplate',
  WorkspaceTemplateSpec,
  WorkspaceTemplateStatus
>;
