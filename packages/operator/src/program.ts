/** The operator as a program: settings in, exit code out. Works until it is told to end. */
import { flushCompileCache } from 'node:module';
import { createLogger, Frames, shutdownSignal, systemClock } from '@terrain/runtime';
import { ConfigError, type OperatorConfig, readConfig } from './config.ts';
import { CredentialsError, loadCredentials } from './credentials.ts';
import { createOperator } from './operator.ts';

async function run(config: OperatorConfig): Promise<void> {
  const log = createLogger({ level: config.logLevel });
  const operator = createOperator({
    credentials: await loadCredentials(config.credentials),
    namespace: config.namespace,
    hasLeaderElection: config.hasLeaderElection,
    workers: config.workers,
    clusterRanges: config.clusterRanges,
    log,
    frames: new Frames({ clock: systemClock }),
    ...(config.health === undefined ? {} : { health: config.health }),
  });
  try {
    await operator.run(shutdownSignal());
  } catch (error) {
    log.fatal({ err: error }, 'the operator ends');
    process.exitCode = 1;
  }
}

// Now that all modules are loaded, and not only at a peaceful end: to strip types takes more memory than to run.
flushCompileCache();
try {
  await run(readConfig(process.argv.slice(2), process.env));
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof CredentialsError)) throw error;
  process.stderr.write(`terrain-operator: ${error.message}\n`);
  // Settings that make no sense stay wrong; a file may be there at the next start.
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
