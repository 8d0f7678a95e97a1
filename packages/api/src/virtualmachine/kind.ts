import { entriesOf } from '#common/glossary.ts';
import { apiVersionName, category, pelotechGroup } from '#common/keys.ts';
import { columns, defineKind } from '#kind.ts';
import { virtualMachineConditions, virtualMachineReasons } from './conditions.ts';
import { virtualMachineSpec, virtualMachineStatus } from './schema.ts';

/** The kind VirtualMachine of the group pelotech.ot; KubeVirt has one of the same name in its own group. */
export const virtualMachineKind = defineKind({
  group: pelotechGroup,
  version: apiVersionName,
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  singular: 'virtualmachine',
  shortNames: ['otvm'],
  scope: 'Namespaced',
  categories: [category],
  description:
    'One virtual machine: makes sure its disk image exists, clones a root disk from it, configures the guest, and runs it on KubeVirt. Call it otvm on the command line: plain virtualmachine is the kind of KubeVirt.',
  spec: virtualMachineSpec,
  status: virtualMachineStatus,
  rules: [],
  printerColumns: columns(
    {
      name: 'State',
      type: 'string',
      jsonPath: '.status.kubevirt.printableStatus',
      description: 'State in the words of KubeVirt.',
    },
    {
      name: 'Address',
      type: 'string',
      jsonPath: '.status.interfaces[0].ipAddress',
      description: 'Address on the first network.',
    },
  ),
  conditions: entriesOf(virtualMachineConditions),
  reasons: entriesOf(virtualMachineReasons),
});
