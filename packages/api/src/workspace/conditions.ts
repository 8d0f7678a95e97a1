import { commonConditions, commonReasons, namesOf } from '#common/glossary.ts';

/** Every condition of a Workspace, with what it tells. */
export const workspaceConditions = {
  Valid: {
    description:
      'The topology makes sense: addresses, networks, mounts and names fit together. Nothing is created while it is False; the message lists all problems at once.',
  },
  DiskImagesReady: { description: 'Every disk image the machines need can be cloned. Machines and containers wait for it.' },
  NetworksReady: { description: 'The namespace, its isolation and all networks exist.' },
  VolumesReady: { description: 'All volumes exist and are filled.' },
  VirtualMachinesReady: { description: 'All machines are ready.' },
  ContainersReady: { description: 'All container clusters are ready.' },
  DeployRolesApplied: {
    description: 'The deploy roles have been applied to the machines. Without any it is True. It never holds up Ready.',
  },
  Ready: { description: 'All parts of the workspace are usable.' },
  ...commonConditions,
} as const;

/** Every reason a condition of a Workspace may give. */
export const workspaceReasons = {
  Ready: { description: 'Everything the spec asks for is there.', whatToDo: 'Nothing.' },
  Valid: { description: 'The topology makes sense.', whatToDo: 'Nothing.' },
  Invalid: {
    description:
      'The topology has problems; the message lists each with its field, its value and the rule it breaks. What runs already is left as it is.',
    whatToDo: 'Correct the fields the message names.',
  },
  NamespaceTaken: {
    description: 'The namespace workspace-<name> exists and does not belong to this workspace. It is never taken over.',
    whatToDo: 'Give the workspace another name, or delete that namespace.',
  },
  NamespaceTerminating: {
    description: 'The namespace of a former workspace of this name is still being deleted.',
    whatToDo: 'Nothing, unless it lasts: then the message names what blocks the deletion.',
  },
  ImageNamespaceMissing: {
    description: 'The namespace disk images are kept in does not exist. It is not created by the operator.',
    whatToDo: 'Create it, or set imageNamespace in the sync policy. The workspace goes on by itself.',
  },
  DiskImageSourceUnknown: {
    description: 'A disk image does not exist, and nothing says where to download it from.',
    whatToDo:
      'Add vmDiskImageTemplate to the machine, or set imageUrlTemplate in the sync policy. The workspace goes on by itself.',
  },
  DiskImagesNotReady: {
    description: 'Disk images are queued or being downloaded.',
    whatToDo: 'Nothing; the message names them.',
  },
  DiskImagesBlocked: {
    description: 'A disk image waits for something that does not exist: a Secret, a ConfigMap, a class, or the platform itself.',
    whatToDo: 'Create what the message names, or correct the source of the image. The workspace goes on by itself.',
  },
  DiskImagesFailed: {
    description: 'A disk image was given up and there is no older download of it.',
    whatToDo: 'Follow the reason of the VMDiskImage the message names. The workspace goes on by itself.',
  },
  NetworksPending: { description: 'Networks are being made.', whatToDo: 'Nothing.' },
  NetworkBackendUnavailable: {
    description: 'The network backend of the sync policy cannot be used in this cluster.',
    whatToDo: 'Install it, or set networkBackend in the sync policy to one that is installed.',
  },
  VolumesPending: {
    description: 'Volumes are being made or filled.',
    whatToDo: 'Nothing, unless it lasts: then look at the events of the claim the message names.',
  },
  VolumeFillFailed: {
    description: 'A volume could not be filled from contentImage.',
    whatToDo: 'Check contentImage and localPath; the message quotes the cause. It is tried again.',
  },
  VirtualMachinesNotReady: { description: 'Machines are being stood up.', whatToDo: 'Nothing; status.components shows each.' },
  VirtualMachinesFailed: {
    description: 'A machine needs a person.',
    whatToDo: 'Follow the reason of the machine the message names: `kubectl -n workspace-<name> describe otvm`.',
  },
  ContainersNotReady: { description: 'Containers are being started.', whatToDo: 'Nothing; status.components shows each.' },
  ContainersFailed: {
    description: 'A container cannot start: its image cannot be pulled, it keeps crashing, or it is refused.',
    whatToDo: 'Correct what the message quotes. The workspace goes on by itself.',
  },
  PullSecretMissing: {
    description:
      "A Secret of imagePullSecrets does not exist in the operator's namespace, or does not hold credentials of a registry. Containers whose images need none run all the same.",
    whatToDo: 'Create the Secret there, or remove it from imagePullSecrets. The workspace goes on by itself.',
  },
  QuotaExceeded: {
    description: 'A quota leaves no room for a part of the workspace.',
    whatToDo: 'Raise the quota. The workspace goes on by itself.',
  },
  Waiting: { description: 'This part waits for another one, as the message says.', whatToDo: 'See the other conditions.' },
  Stopped: {
    description: 'powerState is Stopped: disks and volumes are kept, nothing runs.',
    whatToDo: 'Set spec.powerState to Running to start it.',
  },
  NoRoles: { description: 'No machine has deploy roles.', whatToDo: 'Nothing.' },
  RolesPending: { description: 'The deploy roles wait for the machines, or are being applied.', whatToDo: 'Nothing.' },
  RolesApplied: { description: 'The deploy roles have been applied.', whatToDo: 'Nothing.' },
  RolesFailed: {
    description: 'Applying a deploy role failed; the message quotes the end of its output.',
    whatToDo: 'Correct the role, or change its variables to have it applied again.',
  },
  RunnerNotConfigured: {
    description:
      'There are deploy roles, but no deployRunner or no ansibleImage in the sync policy to apply them with. The workspace is usable without.',
    whatToDo: 'Set spec.deployRunner and ansibleImage in the sync policy, or remove the deploy roles.',
  },
  CleanupBlocked: {
    description: 'Something in the namespace is not going away; the message names the object and its finalizer.',
    whatToDo: 'Find out who owns that finalizer. Foreign finalizers are never removed by the operator.',
  },
  ...commonReasons,
} as const;

/** Names of the conditions of a Workspace. */
export const WorkspaceCondition = namesOf(workspaceConditions);
/** Names of the reasons of a Workspace. */
export const WorkspaceReason = namesOf(workspaceReasons);
/** One of the conditions of a Workspace. */
export type WorkspaceCondition = keyof typeof WorkspaceCondition;
/** One of the reasons of a Workspace. */
export type WorkspaceReason = keyof typeof WorkspaceReason;
