import { type InstallOptions, operatorServiceAccount, resolveInstall } from '#policy/install.ts';

/** A namespace and the service account in it. */
export type OperatorIdentity = [
  { apiVersion: 'v1'; kind: 'Namespace'; metadata: { name: string } },
  { apiVersion: 'v1'; kind: 'ServiceAccount'; metadata: { name: string; namespace: string } },
];

/** Where the operator lives and who it is. Policies know it by this name; what it may do is granted elsewhere. */
export function operatorIdentity(install: InstallOptions = {}): OperatorIdentity {
  const { operatorNamespace } = resolveInstall(install);
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: operatorNamespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: operatorServiceAccount, namespace: operatorNamespace } },
  ];
}
