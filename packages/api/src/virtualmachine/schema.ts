import type { Static } from 'typebox';
import { bounds } from '#common/bounds.ts';
import { commonStatus } from '#common/condition.ts';
import { dnsLabel, objectName, objectNameOrEmpty, text } from '#common/field.ts';
import type { pelotechApiVersion } from '#common/keys.ts';
import { mapList } from '#common/list.ts';
import type { CustomResource } from '#common/metadata.ts';
import { rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';
import { vmDiskImageSpecSchema } from '#vmdiskimage/schema.ts';
import { machineFields, machineRules } from './machine.ts';
import type { user } from './user.ts';

const vmDiskImageRef = Type.Object(
  {
    name: objectName('Name of the VMDiskImage.'),
    namespace: Type.Optional(
      objectNameOrEmpty(
        'Namespace of the VMDiskImage. Empty means the namespace of this machine; another one needs the right to use images there.',
      ),
    ),
  },
  { description: 'The disk image the root disk is cloned from.' },
);

/** Schema of `spec`. */
export const virtualMachineSpec = Type.Object(
  {
    name: Type.Optional(dnsLabel('Host name of the guest; also a label. Left out: the name of this object.')),
    ...machineFields,
    vmDiskImageRef,
    vmDiskImageTemplate: Type.Optional(
      vmDiskImageSpecSchema(
        'Made into a VMDiskImage of the name in vmDiskImageRef if there is none yet. Left out: the machine waits for one.',
      ),
    ),
  },
  { description: 'One machine: its image, its size, its networks and its users.', ...rules(...machineRules) },
);

const diskImage = Type.Object(
  {
    namespace: text(bounds.nameLength, 'Namespace of the VMDiskImage.'),
    name: text(253, 'Name of the VMDiskImage.'),
    volumeSnapshot: Type.Optional(text(253, 'The snapshot the root disk was cloned from.')),
  },
  { description: 'The image in use.' },
);

const interfaceStatus = Type.Object(
  {
    network: text(253, 'The network.'),
    ipAddress: Type.Optional(text(bounds.addressLength, 'The address asked for.')),
    macAddress: Type.Optional(text(17, 'The hardware address.')),
    observedAddress: Type.Optional(text(64, 'The address the guest agent reports.')),
  },
  { description: 'One network card as it is.' },
);

const kubevirt = Type.Object(
  {
    name: text(253, "Name of KubeVirt's VirtualMachine."),
    printableStatus: Type.Optional(text(64, 'Its state in the words of KubeVirt, such as Running or Stopped.')),
  },
  { description: "KubeVirt's machine behind this one." },
);

/** Schema of `status`. */
export const virtualMachineStatus = Type.Object(
  {
    ...commonStatus(
      ['Provisioning', 'Failed', 'Ready'],
      'Provisioning: being stood up, or waiting for something that may pass. Failed: only a person can help. Ready: usable, or stopped as asked.',
    ),
    diskImage: Type.Optional(diskImage),
    rootDisk: Type.Optional(text(253, 'The DataVolume that is the root disk.')),
    kubevirt: Type.Optional(kubevirt),
    interfaces: Type.Optional(mapList(interfaceStatus, ['network'], 'The network cards.', { maxItems: bounds.interfaces })),
  },
  { description: 'What the operator found and did. Written by the operator only.' },
);

/** What a VirtualMachine asks for. */
export type VirtualMachineSpec = Static<typeof virtualMachineSpec>;
/** An account in the guest. */
export type VirtualMachineUser = Static<typeof user>;
/** What the operator reports about a VirtualMachine. */
export type VirtualMachineStatus = Static<typeof virtualMachineStatus>;
/**
 * One machine: makes sure its image exists, clones a root disk, configures the guest, runs it on KubeVirt.
 *
 * Plain `virtualmachine` is KubeVirt's kind: commands and messages call this one `otvm` or `virtualmachines.pelotech.ot`.
 */
export type VirtualMachine = CustomResource<
  typeof pelotechApiVersion,
  'VirtualMachine',
  VirtualMachineSpec,
  VirtualMachineStatus
>;
