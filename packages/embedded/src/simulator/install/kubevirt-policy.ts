import type { Probe } from './in-force.ts';
import { policyManifests } from './policy.ts';

const strategies = ['Halted', 'Manual', 'Always', 'RerunOnFailure', 'Once', 'WaitAsReceiver'];
const interfaces = 'object.spec.template.spec.domain.devices.interfaces';
const hasInterfaces = `has(object.spec.template.spec.domain.devices) && has(${interfaces})`;
const isMalformed = "has(i.macAddress) && i.macAddress != '' && !i.macAddress.matches('^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$')";

/** Some of what KubeVirt's webhook refuses, in its words (pkg/virt-api/webhooks/validating-webhook/admitters). */
export const kubevirtPolicies = policyManifests({
  name: 'virtualmachine-validate.simulated.terrain.dev',
  group: 'kubevirt.io',
  version: 'v1',
  resource: 'virtualmachines',
  operations: ['CREATE', 'UPDATE'],
  validations: [
    {
      expression: '!(has(object.spec.running) && has(object.spec.runStrategy))',
      message: 'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
    },
    { expression: 'has(object.spec.running) || has(object.spec.runStrategy)', message: 'RunStrategy must be specified' },
    {
      expression: `!has(object.spec.runStrategy) || object.spec.runStrategy in [${strategies.map((name) => `'${name}'`).join(', ')}]`,
      messageExpression: "'Invalid RunStrategy (' + object.spec.runStrategy + ')'",
    },
    {
      expression: `!(${hasInterfaces}) || !${interfaces}.exists(i, ${isMalformed})`,
      messageExpression: `'interface ' + ${interfaces}.filter(i, ${isMalformed})[0].name + ' has malformed MAC address (' + ${interfaces}.filter(i, ${isMalformed})[0].macAddress + ').'`,
    },
  ],
});

export const kubevirtProbe: Probe = {
  kind: 'VirtualMachine',
  spec: { template: { spec: { domain: { devices: {} } } } },
  words: 'RunStrategy must be specified',
};
