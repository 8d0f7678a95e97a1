import { fileURLToPath } from 'node:url';
import { EmbeddedError } from '#embedded-error.ts';
import type { ManagedProcess } from '#process/managed-process.ts';
import { until } from '#process/until.ts';
import type { EmbeddedCluster } from './embedded-cluster.ts';

const entry = fileURLToPath(new URL('../simulator/main.ts', import.meta.url));
/** Printed by simulator/main.ts once its caches are filled and it acts. */
const readyLine = 'simulator ready';

/** Runs the platform simulator beside a cluster, in a process of its own, and returns once it acts. */
export async function startSimulator(
  cluster: EmbeddedCluster,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ManagedProcess> {
  const simulator = await cluster.startCompanion({
    name: 'simulator',
    program: process.execPath,
    args: [entry],
    user: 'terrain-simulator',
    // It plays several controllers at once, each of which has wide rights on a real cluster.
    groups: ['system:masters'],
  });
  await until(
    'the readiness of the simulator',
    async () => {
      if (simulator.exit !== undefined)
        throw new EmbeddedError('ComponentFailed', `the simulator ended while starting: ${await simulator.lastWords()}`);
      return (await simulator.lastWords(50)).includes(readyLine) ? true : undefined;
    },
    { timeoutMs: 60_000, signal: options.signal, missing: () => `see ${simulator.logFile}` },
  );
  return simulator;
}
