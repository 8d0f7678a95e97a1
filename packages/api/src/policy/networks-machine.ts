/**
 * The same for the machines of KubeVirt, which makes a pod for each: on the networks its template names, and with the template's annotations.
 */
import type { PolicyDefinition } from './admission-policy.ts';
import { quotedList } from './cel.ts';
import { type InstallOptions, resolveInstall } from './install.ts';
import { annotationVariables, defaultNetwork, isUnchanged, labNamespaces, networks, valueAt } from './networks-attachment.ts';

const group = 'kubevirt.io';

interface MachineRule {
  readonly name: string;
  readonly purpose: string;
  readonly resources: readonly string[];
  /** Where the template is, and what must be there first. */
  readonly at: string;
  readonly parents: readonly string[];
  readonly annotationsAt: string;
  /** CEL that is true for those who may name networks. */
  readonly isAllowed: string;
  readonly who: string;
}

/** Cards of the machine that hang on a network of Multus. */
const attached = (all: string): string => `${all}.filter(card, has(card.multus))`;

function machineRule({ name, purpose, resources, at, parents, annotationsAt, isAllowed, who }: MachineRule): PolicyDefinition {
  const isSame = 'variables.cards == variables.cardsBefore';
  return {
    name,
    purpose,
    rule: { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources },
    namespaceSelector: labNamespaces,
    variables: {
      ...annotationVariables(`${annotationsAt}.annotations`, annotationsAt === 'metadata' ? [] : [annotationsAt]),
      cards: attached(`(${valueAt('object', `${at}.networks`, parents, '[]')})`),
      cardsBefore: attached(`(${valueAt('oldObject', `${at}.networks`, parents, '[]')})`),
    },
    validations: {
      keepsFirstNetwork: {
        expression: `(${isUnchanged(defaultNetwork)}) && (${isSame} || variables.cards.all(card, !has(card.multus.default) || !card.multus.default))`,
        message: `A machine may not replace its first network here (multus.default, or the annotation ${defaultNetwork}): it would reach a network of any lab.`,
      },
      staysAtHome: {
        expression: `${isSame} || variables.cards.all(card, !card.multus.networkName.contains('/') || card.multus.networkName.startsWith(request.namespace + '/'))`,
        message: 'A machine may be put only on networks of its own namespace (multus.networkName): leave the namespace out.',
      },
      namedByAllowed: {
        expression: `((${isUnchanged(networks)}) && (${isSame} || variables.cards.size() == 0)) || ${isAllowed}`,
        message: `Only ${who} may put machines on networks here (multus.networkName, or the annotation ${networks}): declare the machine in the Workspace instead.`,
      },
    },
    action: 'Deny',
  };
}

/** The policies for machines, and for what KubeVirt makes of them. */
export function machineNetworkPolicies(install: InstallOptions): PolicyDefinition[] {
  const { operatorUser, podMakers } = resolveInstall(install);
  const isOneOf = (users: readonly string[]): string => `request.userInfo.username in ${quotedList(users)}`;
  return [
    machineRule({
      name: 'terrain-machine-networks',
      purpose: 'In namespaces of labs machines of KubeVirt name networks only when the operator wrote them.',
      resources: ['virtualmachines', 'virtualmachineinstancereplicasets'],
      at: 'spec.template.spec',
      parents: ['spec.template.spec'],
      annotationsAt: 'spec.template.metadata',
      isAllowed: isOneOf([operatorUser]),
      who: 'the operator',
    }),
    machineRule({
      name: 'terrain-machineinstance-networks',
      purpose:
        'In namespaces of labs running machines are put on networks by controllers only, and only on those of their namespace.',
      resources: ['virtualmachineinstances'],
      at: 'spec',
      parents: [],
      annotationsAt: 'metadata',
      // Where KubeVirt is simulated, whoever plays it has no account of its controllers, but may do everything as it is.
      isAllowed: `${isOneOf(podMakers)} || 'system:masters' in request.userInfo.groups`,
      who: 'controllers',
    }),
  ];
}
