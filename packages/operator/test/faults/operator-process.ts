/** The operator as a program, with a lease as short as a test wants it. */
import { env } from 'node:process';
import { createOperator } from '@terrain/operator';
import { createLogger, loadKubeconfig, shutdownSignal } from '@terrain/runtime';

const leaseMs = Number(env.LEASE_MS ?? 0);
const log = createLogger({ level: 'info' });
const operator = createOperator({
  credentials: await loadKubeconfig({ file: env.TERRAIN_KUBECONFIG ?? '' }),
  namespace: 'sync-operator',
  hasLeaderElection: leaseMs > 0,
  ...(leaseMs > 0 ? { election: { leaseMs, renewDeadlineMs: (leaseMs * 2) / 3, retryMs: leaseMs / 7.5 } } : {}),
  log,
});
void operator.keeper.ready.then(
  () => log.info('at work'),
  () => undefined,
);
try {
  await operator.run(shutdownSignal());
} catch (error) {
  log.fatal({ err: error }, 'the operator ends');
  process.exitCode = 1;
}
