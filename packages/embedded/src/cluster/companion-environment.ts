/** What else may name a cluster: in a pod the first two do, and to the operator the last one counts more than `$KUBECONFIG`. */
const namesOfOthers = ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'TERRAIN_KUBECONFIG'];

/** The environment of a program that belongs to an embedded cluster: ours, with no other cluster in it than that one. */
export function companionEnvironment(environment: NodeJS.ProcessEnv, kubeconfig: string): NodeJS.ProcessEnv {
  const rest = Object.entries(environment).filter(([name]) => !namesOfOthers.includes(name));
  return { ...Object.fromEntries(rest), KUBECONFIG: kubeconfig };
}
