/**
 * Who may put pods on the networks of a lab.
 *
 * Multus keeps a pod to the networks of its own namespace, but not in the annotation that replaces a pod's first network: with it one lab joins
 * another's. And a nested cluster copies the annotations of its tenants' pods to the host. So in namespaces of labs networks are named in pod
 * templates by the operator alone, and on pods by the controllers that turn such templates into pods.
 */
import type { PolicyDefinition } from './admission-policy.ts';
import { quoted, quotedList } from './cel.ts';
import { type InstallOptions, resolveInstall } from './install.ts';
import { annotationVariables, defaultNetwork, isUnchanged, labNamespaces, networks } from './networks-attachment.ts';
import { machineNetworkPolicies } from './networks-machine.ts';

/** Turns a template of the operator's into another template. */
const deploymentController = 'system:serviceaccount:kube-system:deployment-controller';

/** Every spelling of the annotation that Multus reads: a list of names, or JSON. An escape could hide a key from us but not from it. */
const staysAtHome = [
  `variables.networks.matches('[\\\\[{"]')`,
  `? !variables.networks.contains('\\\\') && variables.networks.findAll('(?i)"namespace"\\\\s*:\\\\s*"[^"]*"').all(named, named.endsWith('"' + request.namespace + '"'))`,
  `: variables.networks.split(',').all(named, !named.contains('/') || named.trim().startsWith(request.namespace + '/'))`,
].join(' ');

function pods(install: InstallOptions): PolicyDefinition {
  const { podMakers } = resolveInstall(install);
  return {
    name: 'terrain-pod-networks',
    purpose: 'In namespaces of labs a pod is put on networks by controllers only, and only on those of its namespace.',
    rule: { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
    namespaceSelector: labNamespaces,
    variables: {
      ...annotationVariables('metadata.annotations', []),
      networks: `${quoted(networks)} in variables.annotations ? variables.annotations[${quoted(networks)}] : ''`,
    },
    validations: {
      keepsFirstNetwork: {
        expression: isUnchanged(defaultNetwork),
        message: `The annotation ${defaultNetwork} is not allowed here: it would put the pod on a network of any lab; use ${networks}.`,
      },
      madeByController: {
        expression: `${isUnchanged(networks)} || request.userInfo.username in ${quotedList(podMakers)}`,
        message: `Only controllers may put pods on networks here (annotation ${networks}): declare the container in the Workspace instead.`,
      },
      staysAtHome: {
        expression: `${isUnchanged(networks)} || (${staysAtHome})`,
        message: `A pod may be put only on networks of its own namespace (annotation ${networks}): leave the namespace out, and write no escapes.`,
      },
    },
    action: 'Deny',
  };
}

function templates(install: InstallOptions): PolicyDefinition {
  const { operatorUser } = resolveInstall(install);
  const at = 'spec.template.metadata.annotations';
  return {
    name: 'terrain-template-networks',
    purpose: 'In namespaces of labs pod templates name networks only when the operator wrote them.',
    rule: {
      apiGroups: ['apps', 'batch'],
      apiVersions: ['v1'],
      operations: ['CREATE', 'UPDATE'],
      resources: ['deployments', 'replicasets', 'statefulsets', 'jobs'],
    },
    namespaceSelector: labNamespaces,
    variables: annotationVariables(at, ['spec.template.metadata']),
    validations: {
      writtenByOperator: {
        expression: `${isUnchanged(networks)} || request.userInfo.username in ${quotedList([operatorUser, deploymentController])}`,
        message: `Only the operator may put pod templates on networks here (annotation ${networks}): declare the container in the Workspace instead.`,
      },
    },
    action: 'Deny',
  };
}

/** The policies that keep labs apart where networks do not. */
export const networkPolicies = (install: InstallOptions = {}): PolicyDefinition[] => [
  pods(install),
  templates(install),
  ...machineNetworkPolicies(install),
];
