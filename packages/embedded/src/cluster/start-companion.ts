import { fileURLToPath } from 'node:url';
import { EmbeddedError } from '#embedded-error.ts';
import { until } from '#process/until.ts';
import type { Companion, EmbeddedCluster } from './embedded-cluster.ts';

export interface ReadyCompanion extends Companion {
  /** Words it prints once it works. */
  readonly readyWords: string;
}

/** Starts a program beside a cluster and returns once it says that it works. */
export async function startCompanion(
  cluster: EmbeddedCluster,
  companion: ReadyCompanion,
  options: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  const running = await cluster.startCompanion(companion);
  const hasSaid = async (): Promise<true | undefined> => {
    const words = await running.lastWords(200);
    if (running.exit === undefined) return words.includes(companion.readyWords) ? true : undefined;
    throw new EmbeddedError(
      'ComponentFailed',
      `${companion.name} ended while starting: ${words.split('\n').slice(-5).join('\n')}`,
    );
  };
  await until(`the start of ${companion.name}`, hasSaid, {
    timeoutMs: 90_000,
    signal: options.signal,
    missing: () => `see ${running.logFile}`,
  });
}

/** Runs the platform simulator beside a cluster, in a process of its own. */
export function startSimulator(cluster: EmbeddedCluster, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
  const simulator: ReadyCompanion = {
    name: 'simulator',
    program: process.execPath,
    args: [fileURLToPath(new URL('../simulator/main.ts', import.meta.url))],
    user: 'terrain-simulator',
    // It plays several controllers at once, each of which has wide rights on a real cluster.
    groups: ['system:masters'],
    readyWords: 'simulator ready',
  };
  return startCompanion(cluster, simulator, options);
}
