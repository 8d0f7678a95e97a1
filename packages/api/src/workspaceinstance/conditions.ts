import { commonConditions, commonReasons, namesOf } from '#common/glossary.ts';

/** Every condition of a WorkspaceInstance, with what it tells. */
export const workspaceInstanceConditions = {
  Valid: { description: 'The template exists and allows every override of this instance. While it is False nothing changes.' },
  NamespaceReady: { description: 'The namespace holds this instance only, and its isolation is in place.' },
  WorkloadReady: { description: 'The workspace of the current step runs.' },
  StepResolved: { description: 'spec.currentStep names a step of the template. While it is False the running step stays.' },
  ClusterReady: { description: 'The nested cluster answers. True as well when the template asks for none.' },
  LabReady: { description: 'The machines and networks of this instance are ready. True as well when the template has no lab.' },
  TerminalReady: { description: 'The terminal can be opened in the browser. True as well when the template offers none.' },
  IdleDetection: {
    description: 'Use of the instance is being measured. While it is False the instance is never suspended for being idle.',
  },
  Ready: {
    description: 'The student can work; or the instance is suspended, because that is what the spec or the template asks for.',
  },
  ...commonConditions,
} as const;

/** Every reason a condition of a WorkspaceInstance may give. */
export const workspaceInstanceReasons = {
  Ready: { description: 'Everything the template asks for is there.', whatToDo: 'Nothing.' },
  Valid: { description: 'The template exists and allows the overrides.', whatToDo: 'Nothing.' },
  TemplateMissing: {
    description: 'The WorkspaceTemplate does not exist.',
    whatToDo: 'Create the template, or delete this instance. It goes on by itself.',
  },
  TemplateNotReady: {
    description: 'The template refers to something that does not exist.',
    whatToDo: 'Follow the reason of the WorkspaceTemplate. The instance goes on by itself.',
  },
  OverrideNotAllowed: {
    description: 'spec.overrides sets something the template does not list as overridable; nothing changes until it is gone.',
    whatToDo: 'Remove the override the message names, or add its path to spec.overridable of the template.',
  },
  TtlTooLong: {
    description: 'The ttl of this instance is longer than lifecycle.maxTtl of its template.',
    whatToDo: 'Lower spec.overrides.lifecycle.ttl to at most what the message says.',
  },
  NamespaceInUse: {
    description: 'Another instance was in this namespace first; a namespace holds one instance.',
    whatToDo: 'Create this instance in a namespace of its own.',
  },
  NamespaceIsolated: { description: 'The namespace and its isolation are in place.', whatToDo: 'Nothing.' },
  NamespaceTerminating: { description: 'The namespace is being deleted.', whatToDo: 'Nothing; the instance goes with it.' },
  StepUnknown: {
    description: 'spec.currentStep is not the id of a step of the template. The running step stays.',
    whatToDo: 'Use one of the ids the message lists.',
  },
  StepResolved: { description: 'The step exists in the template.', whatToDo: 'Nothing.' },
  StepChanging: { description: 'The old step is gone and the new one is starting.', whatToDo: 'Nothing.' },
  StepFailed: {
    description: 'The step cannot start, mostly because its image cannot be pulled; the message quotes the cause.',
    whatToDo: 'Correct the image of the step in the template, or move the instance back to another step.',
  },
  Starting: { description: 'The workspace is starting.', whatToDo: 'Nothing.' },
  Running: { description: 'The workspace runs.', whatToDo: 'Nothing.' },
  Unschedulable: {
    description: 'No node has room for the workspace.',
    whatToDo: 'Add capacity, or suspend other instances. The instance goes on by itself.',
  },
  QuotaExceeded: {
    description: 'A quota of the namespace leaves no room.',
    whatToDo: 'Raise the quota. The instance goes on by itself.',
  },
  PullSecretMissing: {
    description: "A pull secret of the template does not exist in the operator's namespace.",
    whatToDo: 'Create it there. The instance goes on by itself.',
  },
  NotRequested: { description: 'The template does not ask for this part.', whatToDo: 'Nothing.' },
  ClusterStarting: { description: 'The nested cluster is starting.', whatToDo: 'Nothing.' },
  ClusterFailed: {
    description: 'The nested cluster does not start; the message quotes the cause.',
    whatToDo: 'Remove the cause. It is tried again.',
  },
  ClusterVersionUnsupported: {
    description: 'cluster.version is not one of the versions nested clusters are tested with.',
    whatToDo: 'Use one of the versions the message lists.',
  },
  LabNotReady: {
    description: 'The lab of this instance is being stood up.',
    whatToDo: 'Nothing; the message quotes the Workspace.',
  },
  LabFailed: {
    description: 'The lab of this instance needs a person.',
    whatToDo: 'Follow the reason of the Workspace the message names.',
  },
  TerminalStarting: { description: 'The terminal does not answer yet.', whatToDo: 'Nothing.' },
  GatewayMissing: {
    description: 'No gateway runs in this cluster, so there is no way in from a browser.',
    whatToDo: 'Install the gateway. The instance goes on by itself.',
  },
  Measured: { description: 'The gateway measures use of the instance.', whatToDo: 'Nothing.' },
  MeterSilent: {
    description: 'The gateway that measures use has not been heard of for a while.',
    whatToDo: 'Check the gateway. Until then no instance is suspended for being idle.',
  },
  IdleSuspendOff: { description: 'lifecycle.idleSuspend is off, so use is not judged.', whatToDo: 'Nothing.' },
  SuspendedByUser: {
    description: 'spec.powerState is Suspended.',
    whatToDo: 'Set it to Running: `terrain instance resume`.',
  },
  SuspendedIdle: { description: 'Nobody used the instance for idleTimeout.', whatToDo: 'Nothing; opening it wakes it.' },
  SuspendedExpired: {
    description: 'The time of this persistent instance is over; its home directory is kept.',
    whatToDo: 'Opening it starts a new session; or raise the ttl: `terrain instance extend`.',
  },
  Expired: { description: 'The time of this ephemeral instance is over; it is being deleted.', whatToDo: 'Nothing.' },
  CleanupBlocked: {
    description: 'Something of this instance is not going away; the message names the object and its finalizer.',
    whatToDo: 'Find out who owns that finalizer. Foreign finalizers are never removed by the operator.',
  },
  ...commonReasons,
} as const;

/** Names of the conditions of a WorkspaceInstance. */
export const WorkspaceInstanceCondition = namesOf(workspaceInstanceConditions);
/** Names of the reasons of a WorkspaceInstance. */
export const WorkspaceInstanceReason = namesOf(workspaceInstanceReasons);
/** One of the conditions of a WorkspaceInstance. */
export type WorkspaceInstanceCondition = keyof typeof WorkspaceInstanceCondition;
/** One of the reasons of a WorkspaceInstance. */
export type WorkspaceInstanceReason = keyof typeof WorkspaceInstanceReason;
