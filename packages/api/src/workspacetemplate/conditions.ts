import { commonConditions, commonReasons, namesOf } from '#common/glossary.ts';

/** Every condition of a WorkspaceTemplate, with what it tells. */
export const workspaceTemplateConditions = {
  Ready: { description: 'Everything the template refers to exists: instances can be made from it.' },
  ...commonConditions,
} as const;

/** Every reason a condition of a WorkspaceTemplate may give. */
export const workspaceTemplateReasons = {
  Resolved: { description: 'Everything the template refers to exists.', whatToDo: 'Nothing.' },
  NoSteps: {
    description: 'The template has no steps yet, so there is nothing to run.',
    whatToDo: 'Compile the workshop and apply it: `terrain template apply --artifact FILE`.',
  },
  PullSecretMissing: {
    description: "A Secret in imagePullSecrets does not exist in the operator's namespace.",
    whatToDo: 'Create it there. The template becomes ready by itself.',
  },
  ClusterVersionUnsupported: {
    description: 'defaults.cluster.version is not one of the versions nested clusters are tested with.',
    whatToDo: 'Use one of the versions the message lists, or leave the version out.',
  },
  InUse: {
    description: 'The template is being deleted, but instances still use it.',
    whatToDo: 'Delete the instances the message counts.',
  },
  ...commonReasons,
} as const;

/** Names of the conditions of a WorkspaceTemplate. */
export const WorkspaceTemplateCondition = namesOf(workspaceTemplateConditions);
/** Names of the reasons of a WorkspaceTemplate. */
export const WorkspaceTemplateReason = namesOf(workspaceTemplateReasons);
/** One of the conditions of a WorkspaceTemplate. */
export type WorkspaceTemplateCondition = keyof typeof WorkspaceTemplateCondition;
/** One of the reasons of a WorkspaceTemplate. */
export type WorkspaceTemplateReason = keyof typeof WorkspaceTemplateReason;
