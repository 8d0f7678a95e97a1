import { finalizers, pelotechGroup, workshopGroup } from '#common/keys.ts';
import type { ResourceRule } from './admission-policy.ts';
import { quoted } from './cel.ts';

/** The part of admissionregistration.k8s.io/v1 that is used here. */
export type MutatingAdmissionPolicy = {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingAdmissionPolicy';
  metadata: { name: string; annotations: Record<string, string> };
  spec: {
    failurePolicy: 'Fail';
    reinvocationPolicy: 'Never';
    matchConstraints: { resourceRules: ResourceRule[] };
    matchConditions: { name: string; expression: string }[];
    mutations: { patchType: 'ApplyConfiguration'; applyConfiguration: { expression: string } }[];
  };
};

/** Puts such a policy in force. */
export type MutatingAdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'MutatingAdmissionPolicyBinding';
  metadata: { name: string };
  spec: { policyName: string };
};

const apiVersion = 'admissionregistration.k8s.io/v1';

/**
 * Sets our finalizer while an object is being created.
 *
 * Set by the operator it would be a second write, and an object deleted before that write would leave behind what was made for it.
 * The list is merged as a set: finalizers of others stay. Whoever removes ours later meant to, so updates are left alone.
 */
function finalizerPolicy(
  group: string,
  plurals: readonly string[],
  finalizer: string,
): [MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding] {
  const name = `terrain-finalizer-${group}`;
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata: {
        name,
        annotations: { 'kubernetes.io/description': `Objects of ${group} get the finalizer ${finalizer} when they are created.` },
      },
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        matchConstraints: {
          resourceRules: [{ apiGroups: [group], apiVersions: ['*'], operations: ['CREATE'], resources: plurals }],
        },
        matchConditions: [
          {
            name: 'not-there-yet',
            expression: `!has(object.metadata.finalizers) || !(${quoted(finalizer)} in object.metadata.finalizers)`,
          },
        ],
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: `Object{metadata: Object.metadata{finalizers: [${quoted(finalizer)}]}}` },
          },
        ],
      },
    },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name } },
  ];
}

/** The policies that set finalizers, one per group, each with its binding. */
export const finalizerPolicies = (): [MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding][] => [
  finalizerPolicy(pelotechGroup, ['vmdiskimages', 'datasyncs', 'virtualmachines', 'workspaces'], finalizers.pelotechCleanup),
  finalizerPolicy(workshopGroup, ['workspacetemplates', 'workspaceinstances'], finalizers.workshopCleanup),
];
