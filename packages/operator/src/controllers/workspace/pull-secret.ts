/** The registry credentials a workspace names. Pure. */
import type { Secret } from '#platform/core.ts';
import type { Snapshot } from './snapshot.ts';

/** Secrets of other types may hold anything; only credentials of registries are handed on. */
const registryTypes: ReadonlySet<string> = new Set(['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg']);
const isPullSecret = ({ type }: Secret): boolean => registryTypes.has(type ?? '');

/** Those of the named Secrets that can be handed on. */
export const usablePullSecrets = ({ pullSecrets }: Snapshot): readonly Secret[] => [...pullSecrets.values()].filter(isPullSecret);

/** What is wrong with the named Secrets; undefined when nothing is. */
export function pullSecretProblem({ workspace, pullSecrets, operatorNamespace }: Snapshot): string | undefined {
  const problems = (workspace.spec.imagePullSecrets ?? []).flatMap(({ name }) => {
    const secret = pullSecrets.get(name);
    if (secret === undefined) return [`pull secret ${name} does not exist in namespace ${operatorNamespace}`];
    if (isPullSecret(secret)) return [];
    return [
      `Secret ${operatorNamespace}/${name} is of type ${secret.type ?? 'Opaque'}, not kubernetes.io/dockerconfigjson, and is not handed on`,
    ];
  });
  if (problems.length === 0) return undefined;
  return `${problems.join(', ')}; create it there, or remove it from imagePullSecrets`;
}
