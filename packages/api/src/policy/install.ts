/** Where an installation lives and under which name its operator acts; policies are made for one installation. */
export type InstallOptions = {
  /** Namespace of the operator, the ledger and the sync policy. */
  readonly operatorNamespace?: string;
  /** User name the API server knows the operator by. */
  readonly operatorUser?: string;
};

const defaultOperatorNamespace = 'sync-operator';

/** Name of the operator's service account in its namespace. */
export const operatorServiceAccount = 'terrain-operator';

/** The options with their defaults filled in. */
export function resolveInstall({
  operatorNamespace = defaultOperatorNamespace,
  operatorUser,
}: InstallOptions): Required<InstallOptions> {
  return {
    operatorNamespace,
    operatorUser: operatorUser ?? `system:serviceaccount:${operatorNamespace}:${operatorServiceAccount}`,
  };
}
