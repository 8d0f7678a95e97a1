/** What else may name a cluster: in a pod the first two do, and to the operator the last one counts more than `$KUBECONFIG`. */
const namesOfOthers = ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'TERRAIN_KUBECONFIG'];

/** The C library gives each of a program's threads a heap of its own; one for all of them takes 2 MiB less of an operator at its start. */
const oneHeap = { MALLOC_ARENA_MAX: '1' };

/** The environment of a program that belongs to an embedded cluster: ours, with no other cluster in it than that one. */
export function companionEnvironment(environment: NodeJS.ProcessEnv, kubeconfig: string): NodeJS.ProcessEnv {
  const rest = Object.entries(environment).filter(([name]) => !namesOfOthers.includes(name));
  return { ...oneHeap, ...Object.fromEntries(rest), KUBECONFIG: kubeconfig };
}
