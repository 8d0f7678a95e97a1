import type { KubeObject } from '@terrain/runtime';
import { simulatedLabels } from '../marks.ts';

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
}

export interface PolicyDetails {
  /** Of the policy and of its binding. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly Validation[];
}

/** A policy that refuses as the platform's webhook does, code 422 included. */
export function policyManifests(details: PolicyDetails): readonly KubeObject[] {
  const { name, group, version, resource, operations, variables, validations } = details;
  const metadata = { name, labels: simulatedLabels };
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [{ apiGroups: [group], apiVersions: [version], operations, resources: [resource] }] },
      ...(variables === undefined ? {} : { variables }),
      validations: validations.map((validation) => ({ ...validation, reason: 'Invalid' })),
    },
  };
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata,
    spec: { policyName: name, validationActions: ['Deny'] },
  };
  return [policy, binding];
}
