import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedError } from '#embedded-error.ts';
import { until } from '#process/until.ts';
import type { PartName } from '#simulator/scenario/scenario.ts';
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

export interface SimulatorProgramOptions {
  /** What it plays; the rest is real, or not there. Default: everything. */
  readonly parts?: readonly PartName[];
  readonly signal?: AbortSignal;
}

/** Runs the platform simulator beside a cluster, in a process of its own. */
export async function startSimulator(cluster: EmbeddedCluster, options: SimulatorProgramOptions = {}): Promise<void> {
  const { parts, signal } = options;
  const scenario = join(cluster.home, 'scenario.json');
  if (parts !== undefined) await writeFile(scenario, `${JSON.stringify({ parts })}\n`);
  const simulator: ReadyCompanion = {
    name: 'simulator',
    program: process.execPath,
    args: [
      fileURLToPath(new URL('../simulator/main.ts', import.meta.url)),
      ...(parts === undefined ? [] : [`--scenario=${scenario}`]),
    ],
    user: 'terrain-simulator',
    // It plays several controllers at once, each of which has wide rights on a real cluster.
    groups: ['system:masters'],
    readyWords: 'simulator ready',
  };
  await startCompanion(cluster, simulator, signal === undefined ? {} : { signal });
}
