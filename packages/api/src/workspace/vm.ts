import { dnsLabel, objectName, positiveQuantity, text } from '#common/field.ts';
import { atomicList } from '#common/list.ts';
import { rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';
import { machineFields, machineRules } from '#virtualmachine/machine.ts';
import { vmDiskImageSpecSchema } from '#vmdiskimage/schema.ts';

const role = Type.Object(
  {
    role: text(253, 'Name of the role.', { minLength: 1, pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*$' }),
    variables: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Variables of the role; any YAML.',
        'x-kubernetes-preserve-unknown-fields': true,
      }),
    ),
  },
  { description: 'One Ansible role.' },
);

const ansible = Type.Object(
  {
    roles: Type.Optional(
      Type.Object(
        {
          build: Type.Optional(
            atomicList(role, 'Roles the image was built with. Recorded for the image pipeline, not run here.', { maxItems: 32 }),
          ),
          deploy: Type.Optional(atomicList(role, 'Roles applied in this order once the machines are ready.', { maxItems: 32 })),
        },
        { description: 'Roles by the time they are applied.' },
      ),
    ),
  },
  { description: 'What Ansible does to the machine.' },
);

/** One machine of a workspace. */
export const workspaceVm = Type.Object(
  {
    name: dnsLabel('Name of the machine in the workspace, and its host name.'),
    ...machineFields,
    backingVMDiskImage: objectName(
      'The VMDiskImage to clone the root disk from, in the namespace the sync policy keeps images in (imageNamespace, vmdi-farm).',
    ),
    vmDiskImageTemplate: Type.Optional(
      vmDiskImageSpecSchema(
        'Made into that VMDiskImage if there is none yet. Left out: made from imageUrlTemplate of the sync policy.',
      ),
    ),
    diskSize: Type.Optional(positiveQuantity('diskSize', 'Size of the root disk. Means the same as resources.diskSize.')),
    ansible: Type.Optional(ansible),
  },
  {
    description: 'One virtual machine.',
    ...rules(...machineRules, {
      rule: '!has(self.diskSize) || !has(self.resources.diskSize) || !isQuantity(string(self.diskSize)) || !isQuantity(string(self.resources.diskSize)) || quantity(string(self.diskSize)).compareTo(quantity(string(self.resources.diskSize))) == 0',
      message: 'diskSize and resources.diskSize mean the same but differ; keep one of them',
      fieldPath: '.diskSize',
    }),
  },
);
