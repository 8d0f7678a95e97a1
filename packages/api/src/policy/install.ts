/** Where an installation lives and under which name its operator acts; policies are made for one installation. */
export type InstallOptions = {
  /** Namespace of the operator, the ledger and the sync policy. */
  readonly operatorNamespace?: string;
  /** User name the API server knows the operator by. */
  readonly operatorUser?: string;
  /** Users that turn pod templates into pods and may put those on networks. Some clusters have one user for all their controllers. */
  readonly podMakers?: readonly string[];
};

const defaultOperatorNamespace = 'sync-operator';

const defaultPodMakers = [
  'system:serviceaccount:kube-system:replicaset-controller',
  'system:serviceaccount:kube-system:statefulset-controller',
  'system:serviceaccount:kube-system:job-controller',
  'system:serviceaccount:kubevirt:kubevirt-controller',
];

/** Name of the operator's service account in its namespace. */
export const operatorServiceAccount = 'terrain-operator';

/** The options with their defaults filled in. */
export function resolveInstall({
  operatorNamespace = defaultOperatorNamespace,
  operatorUser,
  podMakers = defaultPodMakers,
}: InstallOptions): Required<InstallOptions> {
  return {
    operatorNamespace,
    operatorUser: operatorUser ?? `system:serviceaccount:${operatorNamespace}:${operatorServiceAccount}`,
    podMakers,
  };
}
