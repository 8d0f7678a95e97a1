/**
 * Everything the API server judges beyond the CRDs, in force with no operator running.
 *
 * | folder of rules | file |
 * |---|---|
 * | where images are downloaded from | source.ts, public-host.ts |
 * | what an author may make the operator do | rights.ts, authorizer.ts |
 * | what may not be deleted | in-use.ts |
 * | who puts pods on networks | networks.ts |
 * | the sync limit | ledger.ts |
 * | what is accepted with a warning | warnings.ts |
 * | finalizers, set at creation | finalizer.ts |
 */
import {
  admissionPolicy,
  type PolicyDefinition,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
} from './admission-policy.ts';
import { finalizerPolicies, type MutatingAdmissionPolicy, type MutatingAdmissionPolicyBinding } from './finalizer.ts';
import { inUsePolicies } from './in-use.ts';
import type { InstallOptions } from './install.ts';
import { ledgerPolicies } from './ledger.ts';
import { networkPolicies } from './networks.ts';
import { rightsPolicies } from './rights.ts';
import { sourcePolicies } from './source.ts';
import { warningPolicies } from './warnings.ts';

/** A policy and the binding that puts it in force. */
export type PolicyPair =
  | [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding]
  | [MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding];

/** All validating policies before they become manifests. */
export const policyDefinitions = (install: InstallOptions = {}): PolicyDefinition[] => [
  ...sourcePolicies(),
  ...rightsPolicies(install),
  ...inUsePolicies(),
  ...networkPolicies(install),
  ...ledgerPolicies(install),
  ...warningPolicies(install),
];

/** All admission policies of an installation with their bindings. A cluster without MutatingAdmissionPolicy refuses those alone. */
export const admissionPolicies = (install: InstallOptions = {}): PolicyPair[] => [
  ...policyDefinitions(install).map((definition) => admissionPolicy(definition, install)),
  ...finalizerPolicies(),
];
