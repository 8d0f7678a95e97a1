/** How pods are put on networks, and the pieces of CEL that judge it. */
import { labels } from '#common/keys.ts';
import type { LabelSelector } from './admission-policy.ts';
import { quoted } from './cel.ts';

/** Networks beside the first. */
export const networks = 'k8s.v1.cni.cncf.io/networks';
/** A network in the place of the first. */
export const defaultNetwork = 'v1.multus-cni.io/default-network';

/** Namespaces of labs. A selector rather than a condition: of all other namespaces the API server does not even ask. */
export const labNamespaces: LabelSelector = { matchExpressions: [{ key: labels.workspace, operator: 'Exists' }] };

/** What is at a path of `of`, or `absent`; `parents` is what must be there first. */
export const valueAt = (of: 'object' | 'oldObject', at: string, parents: readonly string[], absent: string): string =>
  `${[...(of === 'oldObject' ? ['oldObject != null'] : []), ...[...parents, at].map((path) => `has(${of}.${path})`)].join(' && ')} ? ${of}.${at} : ${absent}`;

/** The annotations of what is judged, and of what it was before. */
export const annotationVariables = (
  at: string,
  parents: readonly string[],
): { readonly annotations: string; readonly before: string } => ({
  annotations: valueAt('object', at, parents, '{}'),
  before: valueAt('oldObject', at, parents, '{}'),
});

/** True when an annotation is absent, or is what it was: an object that was there before the rule can still be changed and deleted. */
export const isUnchanged = (annotation: string): string =>
  `!(${quoted(annotation)} in variables.annotations) || (${quoted(annotation)} in variables.before && variables.before[${quoted(annotation)}] == variables.annotations[${quoted(annotation)}])`;
