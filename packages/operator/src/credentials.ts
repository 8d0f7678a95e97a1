import { type Credentials, loadInCluster, loadKubeconfig } from '@terrain/runtime';

/** Where the operator learns which cluster it works on. */
export type CredentialSource =
  | { readonly from: 'file'; readonly file: string }
  /** As kubectl finds it. */
  | { readonly from: 'kubeconfig' }
  | { readonly from: 'pod' };

/**
 * What somebody named wins over what is merely there: a machine for development may well be a pod of another cluster, and its account is not meant.
 */
export function credentialSource(env: Readonly<Record<string, string | undefined>>): CredentialSource {
  if (env.TERRAIN_KUBECONFIG) return { from: 'file', file: env.TERRAIN_KUBECONFIG };
  return env.KUBECONFIG ? { from: 'kubeconfig' } : { from: 'pod' };
}

/** Credentials for that cluster; who is in no pod after all takes what kubectl would. */
export async function loadCredentials(source: CredentialSource): Promise<Credentials> {
  if (source.from === 'file') return loadKubeconfig({ file: source.file });
  const inCluster = source.from === 'pod' ? await loadInCluster() : undefined;
  return inCluster ?? (await loadKubeconfig());
}
