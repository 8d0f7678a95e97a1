import type { Static } from 'typebox';
import { bounds } from '#common/bounds.ts';
import { commonStatus } from '#common/condition.ts';
import { instant, labelValue, objectName, oneOf, text } from '#common/field.ts';
import type { workshopApiVersion } from '#common/keys.ts';
import { atomicList } from '#common/list.ts';
import type { CustomResource } from '#common/metadata.ts';
import { rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';
import { instanceSettings } from '#workspacetemplate/defaults.ts';

const templateRef = Type.Object(
  { name: objectName('Name of the WorkspaceTemplate.') },
  {
    description: 'The template this instance is made from. Never changes.',
    ...rules({
      rule: 'self == oldSelf',
      message: 'templateRef cannot change, because the instance was made from that template; create another instance instead',
    }),
  },
);

/** Schema of `spec`. */
export const workspaceInstanceSpec = Type.Object(
  {
    templateRef,
    owner: text(253, 'The student this instance belongs to; the only one who may open it. Never changes.', {
      minLength: 1,
      pattern: '^[^\\t\\r\\n]+$',
      rules: [
        {
          rule: 'self == oldSelf',
          message:
            'owner cannot change, because the work in the instance belongs to that person; create another instance instead',
        },
      ],
    }),
    currentStep: Type.Optional(
      labelValue('Identifier of the step to run. Empty means the first one. Changing it moves the instance to that step.'),
    ),
    overrides: instanceSettings(
      'instance',
      'What differs from the defaults of the template; only what the template lists as overridable.',
    ),
    powerState: Type.Optional(
      oneOf(['Running', 'Suspended'], 'Suspended stops everything and keeps what is on volumes.', { default: 'Running' }),
    ),
    resetToken: Type.Optional(text(253, 'Any change makes the current step anew from its image.')),
  },
  { description: "One student's workshop." },
);

const lastActivity = Type.Object(
  {
    time: instant('When it was.'),
    source: text(64, 'Where it was seen, such as terminal or port.'),
  },
  { description: 'The last sign that somebody uses the instance. Written at most once a minute.' },
);

const accessEndpoints = Type.Object(
  {
    webTerminal: Type.Optional(text(bounds.urlLength, 'Address of the terminal.')),
    ports: Type.Optional(
      Type.Record(Type.String(), text(bounds.urlLength, 'Address of the port.'), {
        description: 'Address of each port the template exposes, by its name.',
        maxProperties: 32,
      }),
    ),
    kubeconfigSecret: Type.Optional(text(253, 'Secret in this namespace with the kubeconfig of the nested cluster.')),
  },
  { description: 'How to reach the instance.' },
);

const stepChange = Type.Object(
  {
    step: text(bounds.nameLength, 'The step moved to.'),
    from: Type.Optional(text(bounds.nameLength, 'The step moved from.')),
    startedAt: instant('When the change began.'),
    readyAt: Type.Optional(instant('When the new step was ready.')),
  },
  { description: 'One change of the step.' },
);

/** Schema of `status`. */
export const workspaceInstanceStatus = Type.Object(
  {
    ...commonStatus(
      ['Pending', 'Running', 'Suspended', 'Terminating', 'Failed'],
      'Pending: being stood up. Running: usable. Suspended: stopped, with its volumes kept. Terminating: being removed. Failed: only a person can help.',
    ),
    currentStep: Type.Optional(text(bounds.nameLength, 'The step that really runs.')),
    startedAt: Type.Optional(instant('When the instance first ran.')),
    expiresAt: Type.Optional(instant('When its time is over.')),
    suspendsAt: Type.Optional(instant('When it is suspended unless somebody uses it.')),
    lastActivity: Type.Optional(lastActivity),
    suspendedBy: Type.Optional(oneOf(['User', 'Idle', 'Expired'], 'Why it is suspended.')),
    accessEndpoints: Type.Optional(accessEndpoints),
    history: Type.Optional(atomicList(stepChange, 'The last twenty changes of the step, newest first.', { maxItems: 20 })),
  },
  { description: 'What the operator found and did. Written by the operator only.' },
);

/** What a WorkspaceInstance asks for. */
export type WorkspaceInstanceSpec = Static<typeof workspaceInstanceSpec>;
/** What the operator reports about a WorkspaceInstance. */
export type WorkspaceInstanceStatus = Static<typeof workspaceInstanceStatus>;
/** One student's running workshop, in its own namespace. */
export type WorkspaceInstance = CustomResource<
  typeof workshopApiVersion,
  'WorkspaceInstance',
  WorkspaceInstanceSpec,
  WorkspaceInstanceStatus
>;
