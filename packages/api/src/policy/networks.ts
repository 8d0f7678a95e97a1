/**
 * Who may put pods on the networks of a lab.
 *
 * Multus keeps a pod to the networks of its own namespace, but not in the annotation that replaces a pod's first network: with it one lab joins
 * another's. And a nested cluster copies the annotations of its tenants' pods to the host. So in namespaces of labs networks are named in pod
 * templates by the operator alone, and on pods by the controllers that turn such templates into pods.
 */
import { labels } from '#common/keys.ts';
import type { LabelSelector, PolicyDefinition } from './admission-policy.ts';
import { quoted, quotedList } from './cel.ts';
import { type InstallOptions, resolveInstall } from './install.ts';

/** Networks beside the first. */
const networks = 'k8s.v1.cni.cncf.io/networks';
/** A network in the place of the first. */
const defaultNetwork = 'v1.multus-cni.io/default-network';

/** Turns a template of the operator's into another template. */
const deploymentController = 'system:serviceaccount:kube-system:deployment-controller';

/** Namespaces of labs. A selector rather than a condition: of all other namespaces the API server does not even ask. */
const namespaceSelector: LabelSelector = { matchExpressions: [{ key: labels.workspace, operator: 'Exists' }] };

/** The annotations of what is judged and of what it was before; `at` is where they are, `parents` what must be there first. */
const annotationsOf = (of: string, at: string, parents: readonly string[]): string =>
  `${[...(of === 'oldObject' ? ['oldObject != null'] : []), ...[...parents, at].map((path) => `has(${of}.${path})`)].join(' && ')} ? ${of}.${at} : {}`;

/** True when an annotation is absent, or is what it was: an object that was there before the rule can still be changed and deleted. */
const isUnchanged = (annotation: string): string =>
  `!(${quoted(annotation)} in variables.annotations) || (${quoted(annotation)} in variables.before && variables.before[${quoted(annotation)}] == variables.annotations[${quoted(annotation)}])`;

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
    namespaceSelector,
    variables: {
      annotations: annotationsOf('object', 'metadata.annotations', []),
      before: annotationsOf('oldObject', 'metadata.annotations', []),
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
    namespaceSelector,
    variables: {
      annotations: annotationsOf('object', at, ['spec.template.metadata']),
      before: annotationsOf('oldObject', at, ['spec.template.metadata']),
    },
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
export const networkPolicies = (install: InstallOptions = {}): PolicyDefinition[] => [pods(install), templates(install)];
