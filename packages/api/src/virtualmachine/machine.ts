import { bounds } from '#common/bounds.ts';
import { addressWithPrefix, flag, labelValue, objectName, oneOf, port, positiveQuantity, text } from '#common/field.ts';
import { mapList } from '#common/list.ts';
import { type Rule, rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';
import { user } from './user.ts';

const resources = Type.Object(
  {
    cpu: positiveQuantity('resources.cpu', 'Processors of the machine, such as 2.'),
    memory: positiveQuantity('resources.memory', 'Memory of the machine, such as 2Gi.'),
    diskSize: Type.Optional(
      positiveQuantity(
        'resources.diskSize',
        'Size of the root disk, such as 18Gi. Anything up to the size of the image gives a disk as large as the image; more needs a StorageClass that can expand volumes.',
      ),
    ),
  },
  { description: 'Size of the machine.' },
);

/** A network card, of a machine or of a container cluster. */
export const networkInterface = Type.Object(
  {
    network: objectName(
      'The network to attach to: a network of the workspace, or outside one a NetworkAttachmentDefinition in the same namespace.',
    ),
    ipAddress: Type.Optional(
      addressWithPrefix(
        'ipAddress',
        'Static address with its prefix length, such as 10.10.0.161/24. Left out: none is configured.',
      ),
    ),
    macAddress: Type.Optional(
      text(
        17,
        'Hardware address, such as 02:00:5e:10:00:01. Left out: derived from the owner and the network, so that it stays the same.',
        {
          pattern: '^[0-9a-fA-F][02468aAcCeE](:[0-9a-fA-F]{2}){5}$',
        },
      ),
    ),
  },
  { description: 'One network card.' },
);

const guestReadiness = Type.Object(
  {
    mode: Type.Optional(
      oneOf(
        ['Running', 'Agent', 'TCP'],
        'Running: the machine runs. Agent: the QEMU guest agent has connected. TCP: a port answers; only for machines on the pod network.',
        { default: 'Running' },
      ),
    ),
    port: Type.Optional(port('The port that answers when the guest is ready, for mode TCP.')),
  },
  {
    description: 'What makes the guest count as ready.',
    ...rules({
      rule: "self.mode != 'TCP' || has(self.port)",
      message: 'guestReadiness.port is missing: name the port that answers when the guest is ready, or use mode Running or Agent',
      fieldPath: '.mode',
    }),
  },
);

/** Fields a VirtualMachine and a machine inside a Workspace have in common. */
export const machineFields = {
  version: Type.Optional(labelValue('Version of the machine; a label.')),
  baseVm: Type.Optional(labelValue('The base this machine was built from; a label.')),
  baseVmVersion: Type.Optional(labelValue('Version of that base; a label.')),
  ignoreOnDeploy: Type.Optional(
    flag(
      'Provision everything but leave the machine stopped; it counts as ready when stopped. Start it with powerState Running.',
      {
        default: false,
      },
    ),
  ),
  users: Type.Optional(mapList(user, ['name'], 'Accounts cloud-init makes in the guest.', { maxItems: bounds.users })),
  resources,
  interfaces: Type.Optional(
    mapList(networkInterface, ['network'], 'Network cards, one per network. None: the machine is on the pod network.', {
      maxItems: bounds.interfaces,
    }),
  ),
  powerState: Type.Optional(
    oneOf(['Running', 'Stopped'], 'Whether the machine runs. Left out: Running, or Stopped while ignoreOnDeploy is true.'),
  ),
  guestReadiness: Type.Optional(guestReadiness),
  resetToken: Type.Optional(
    text(253, 'Any change throws the root disk away and clones a new one from the image. What was on it is lost.'),
  ),
};

/** What must hold between the common fields. */
export const machineRules: readonly Rule[] = [
  {
    rule: "!has(self.guestReadiness) || self.guestReadiness.mode != 'TCP' || !has(self.interfaces) || self.interfaces.size() == 0",
    message:
      'guestReadiness mode TCP works on the pod network only, and a machine with interfaces is not on it; use mode Agent or Running, or remove the interfaces',
    fieldPath: '.guestReadiness',
  },
];
