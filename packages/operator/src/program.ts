/** The operator as a program: settings in, exit code out. */
import { createLogger, loadInCluster, loadKubeconfig, shutdownSignal } from '@terrain/runtime';
import { readConfig } from './config.ts';
import { createOperator } from './operator.ts';

/** Works until it is told to end. */
export async function main(): Promise<void> {
  const config = readConfig(process.argv.slice(2), process.env);
  const log = createLogger({ level: config.logLevel });
  const inCluster = config.kubeconfig === undefined ? await loadInCluster() : undefined;
  const credentials = inCluster ?? (await loadKubeconfig(config.kubeconfig === undefined ? {} : { file: config.kubeconfig }));
  const operator = createOperator({
    credentials,
    namespace: config.namespace,
    hasLeaderElection: config.hasLeaderElection,
    workers: config.workers,
    log,
    ...(config.healthPort === undefined ? {} : { health: { port: config.healthPort } }),
  });
  try {
    await operator.run(shutdownSignal());
  } catch (error) {
    log.fatal({ err: error }, 'the operator ends');
    process.exitCode = 1;
  }
}
