import { ledgerName } from '#ledger/layout.ts';
import { type InstallOptions, resolveInstall } from './install.ts';

/** Which requests a policy looks at. */
export type ResourceRule = {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
};

/** A label selector, as Kubernetes spells it. */
export type LabelSelector = {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: 'Exists' | 'DoesNotExist' }[];
};

/** One thing that must hold. */
export type Validation = {
  /** CEL that is true for what is accepted. */
  readonly expression: string;
  /** The sentence a person reads, unless `messageExpression` gives one. */
  readonly message: string;
  /** CEL that gives a sentence naming the value. It is computed for accepted objects too, and must not fail there. */
  readonly messageExpression?: string;
};

/** A policy with its binding: they always come as a pair of the same name. */
export type PolicyDefinition = {
  readonly name: string;
  /** Why the policy exists; written above the manifest. */
  readonly purpose: string;
  readonly rule: ResourceRule;
  readonly objectSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  /** Names and CEL of what must be true for the policy to be asked at all. */
  readonly conditions?: Readonly<Record<string, string>>;
  /** Names and CEL of intermediate values, in the order of their use. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What must hold, by a short name that tests refer to. The first that does not hold is what a person reads. */
  readonly validations: Readonly<Record<string, Validation>>;
  /** `params` is the ledger. Without a ledger every request the rule matches is refused. */
  readonly readsLedger?: boolean;
  /** Deny refuses; Warn accepts and tells the client. */
  readonly action: 'Deny' | 'Warn';
};

type NamedExpression = { name: string; expression: string };

/** The part of admissionregistration.k8s.io/v1 that is used here. */
export type ValidatingAdmissionPolicy = {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingAdmissionPolicy';
  metadata: { name: string; annotations: Record<string, string> };
  spec: {
    failurePolicy: 'Fail';
    paramKind?: { apiVersion: 'v1'; kind: 'ConfigMap' };
    matchConstraints: { namespaceSelector?: LabelSelector; objectSelector?: LabelSelector; resourceRules: ResourceRule[] };
    matchConditions?: NamedExpression[];
    variables?: NamedExpression[];
    validations: (Validation & { reason: 'Forbidden' })[];
  };
};

/** Puts a policy in force. */
export type ValidatingAdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingAdmissionPolicyBinding';
  metadata: { name: string };
  spec: {
    policyName: string;
    validationActions: ('Deny' | 'Warn')[];
    paramRef?: { name: string; namespace: string; parameterNotFoundAction: 'Deny' };
  };
};

const apiVersion = 'admissionregistration.k8s.io/v1';

/**
 * The two objects of a policy.
 *
 * Every policy fails closed, and refuses with 403 Forbidden: 422 is what the API server says about a manifest that is wrong in itself.
 * `parameterNotFoundAction: Deny`, because `Allow` would skip the policy, and with it the rule, for as long as there is no ledger.
 */
export function admissionPolicy(
  definition: PolicyDefinition,
  install: InstallOptions = {},
): [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding] {
  const { name, purpose, rule, objectSelector, namespaceSelector, conditions, variables, readsLedger = false } = definition;
  const { operatorNamespace } = resolveInstall(install);
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, annotations: { 'kubernetes.io/description': purpose } },
      spec: {
        failurePolicy: 'Fail',
        ...(readsLedger ? { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } : {}),
        matchConstraints: {
          ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
          ...(objectSelector === undefined ? {} : { objectSelector }),
          resourceRules: [rule],
        },
        ...(conditions === undefined ? {} : { matchConditions: named(conditions) }),
        ...(variables === undefined ? {} : { variables: named(variables) }),
        validations: Object.values(definition.validations).map((validation) => ({ ...validation, reason: 'Forbidden' })),
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: [definition.action],
        ...(readsLedger ? { paramRef: { name: ledgerName, namespace: operatorNamespace, parameterNotFoundAction: 'Deny' } } : {}),
      },
    },
  ];
}

const named = (expressions: Readonly<Record<string, string>>): NamedExpression[] =>
  Object.entries(expressions).map(([name, expression]) => ({ name, expression }));
