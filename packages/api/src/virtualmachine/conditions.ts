import { commonConditions, commonReasons, namesOf } from '#common/glossary.ts';

/** Every condition of a VirtualMachine, with what it tells. */
export const virtualMachineConditions = {
  DiskImageReady: { description: 'The disk image exists, can be cloned, and counts this machine among its references.' },
  RootDiskReady: { description: 'The root disk has been cloned and has the size asked for.' },
  NetworksReady: { description: 'Every network the interfaces name exists in the namespace of the machine.' },
  Running: {
    description: 'The machine runs on KubeVirt. False is as it should be when powerState or ignoreOnDeploy keep it stopped.',
  },
  GuestReady: { description: 'The guest is ready in the sense of spec.guestReadiness.' },
  Ready: { description: 'The machine can be used; or it is stopped, because that is what the spec asks for.' },
  ...commonConditions,
} as const;

/** Every reason a condition of a VirtualMachine may give. */
export const virtualMachineReasons = {
  Ready: { description: 'Everything the spec asks for is there.', whatToDo: 'Nothing.' },
  DiskImageMissing: {
    description: 'The VMDiskImage does not exist and there is no vmDiskImageTemplate to make it from.',
    whatToDo: 'Create the image, correct spec.vmDiskImageRef, or add spec.vmDiskImageTemplate. The machine goes on by itself.',
  },
  DiskImageNotReady: {
    description: 'The image is queued or being downloaded; a machine is never started without its data.',
    whatToDo: 'Nothing; the message quotes how far the image is.',
  },
  DiskImageFailed: {
    description: 'The image was given up and there is no older download to clone.',
    whatToDo: 'Follow the reason of the VMDiskImage the message names. The machine goes on by itself.',
  },
  OldArtifact: {
    description: 'The image has a newer source that could not be downloaded; the machine uses the last good download.',
    whatToDo: 'Follow the reason of the VMDiskImage, then change spec.resetToken if this machine should get the newer disk.',
  },
  ImageGone: {
    description:
      'The image, or its namespace, was deleted while this machine refers to it. A root disk that exists already is not affected.',
    whatToDo: 'Create the image again, or let spec.vmDiskImageRef name another one.',
  },
  ReferencePending: {
    description:
      'The image does not count this machine among its references yet; cloning waits until it does, so that it cannot be deleted meanwhile.',
    whatToDo: 'Nothing; it takes moments.',
  },
  Cloning: { description: 'The root disk is being cloned from the snapshot of the image.', whatToDo: 'Nothing.' },
  CloneFailed: {
    description: 'The root disk could not be cloned; the message quotes the platform.',
    whatToDo: 'Remove the cause. The clone is tried again, and the machine goes on by itself.',
  },
  Cloned: { description: 'The root disk is there.', whatToDo: 'Nothing.' },
  RootDiskLost: {
    description:
      'The root disk was deleted, or lost its volume, while the machine exists. One that is gone is cloned again; one that may still hold work is left alone.',
    whatToDo:
      'Find out who deletes volumes in this namespace. If the message asks for it, restore the volume, or change spec.resetToken to begin with a new disk.',
  },
  Resetting: { description: 'resetToken changed: the old root disk is being replaced by a new clone.', whatToDo: 'Nothing.' },
  ExpansionPending: {
    description: 'The root disk should be larger than the image, and the volume has not been expanded yet.',
    whatToDo: 'Nothing at first. If it lasts, use a StorageClass with allowVolumeExpansion, or lower resources.diskSize.',
  },
  StorageClassMissing: {
    description: 'The StorageClass of the root disk does not exist, or none is named and the cluster has no default.',
    whatToDo: 'Create the class or mark a default. The machine goes on by itself.',
  },
  QuotaExceeded: {
    description: 'A quota of the namespace leaves no room for the root disk or the machine.',
    whatToDo: 'Raise the quota or free space in the namespace. The machine goes on by itself.',
  },
  NetworkMissing: {
    description: 'An interface names a NetworkAttachmentDefinition that does not exist in this namespace.',
    whatToDo: 'Create it, or correct spec.interfaces. The machine goes on by itself.',
  },
  NetworkInvalid: {
    description: 'The annotation pelotech.ot/network of a NetworkAttachmentDefinition cannot be read.',
    whatToDo: 'Correct the annotation as the message says.',
  },
  Attached: { description: 'All networks exist.', whatToDo: 'Nothing.' },
  SecretMissing: {
    description: 'A Secret or key that passwordSecretRef names does not exist, or is one the operator made for itself.',
    whatToDo: 'Create it, or name a Secret of yours. The machine goes on by itself.',
  },
  NameTaken: {
    description: 'KubeVirt already has a machine of this name in this namespace that is not ours. It is never taken over.',
    whatToDo: 'Rename this machine, or delete the other one.',
  },
  Waiting: {
    description: 'The machine has not been started, because something it needs is not ready yet.',
    whatToDo: 'See the other conditions.',
  },
  Starting: {
    description: 'KubeVirt is starting the machine.',
    whatToDo: 'Nothing, unless it lasts: then look at the events of the machine’s pod.',
  },
  Running: { description: 'The machine runs.', whatToDo: 'Nothing.' },
  Stopping: { description: 'The machine is shutting down.', whatToDo: 'Nothing.' },
  Stopped: {
    description: 'The machine is stopped, as powerState or ignoreOnDeploy ask.',
    whatToDo: 'Set spec.powerState to Running to start it.',
  },
  Unschedulable: {
    description: 'No node has room for the machine, or none can run virtual machines.',
    whatToDo: 'Add capacity, lower spec.resources, or stop other machines. The machine goes on by itself.',
  },
  StartFailed: {
    description: 'KubeVirt could not start the machine; the message quotes it.',
    whatToDo: 'Remove the cause. KubeVirt keeps trying, and the machine goes on by itself.',
  },
  CrashLooping: {
    description: 'The machine starts and ends again and again.',
    whatToDo: 'Look at its serial console; the image may not be bootable.',
  },
  GuestPaused: {
    description: 'Somebody paused the running machine in KubeVirt.',
    whatToDo: 'Unpause it there: virtctl unpause vm NAME.',
  },
  RestartRequired: {
    description:
      'A change of the spec takes effect when the machine is stopped the next time; it is never restarted by surprise.',
    whatToDo: 'Stop and start the machine when it suits.',
  },
  GuestStarting: { description: 'The machine runs; its guest does not answer yet.', whatToDo: 'Nothing.' },
  AgentMissing: {
    description: 'guestReadiness is Agent, but no guest agent has connected in all this time.',
    whatToDo: 'Install qemu-guest-agent in the image, or use another guestReadiness.mode.',
  },
  PortClosed: {
    description: 'guestReadiness is TCP, but the port has not answered in all this time.',
    whatToDo: 'Check the service in the guest and guestReadiness.port.',
  },
  GuestReady: { description: 'The guest is ready.', whatToDo: 'Nothing.' },
  ...commonReasons,
} as const;

/** Names of the conditions of a VirtualMachine. */
export const VirtualMachineCondition = namesOf(virtualMachineConditions);
/** Names of the reasons of a VirtualMachine. */
export const VirtualMachineReason = namesOf(virtualMachineReasons);
/** One of the conditions of a VirtualMachine. */
export type VirtualMachineCondition = keyof typeof VirtualMachineCondition;
/** One of the reasons of a VirtualMachine. */
export type VirtualMachineReason = keyof typeof VirtualMachineReason;
