import { join } from 'node:path';
import { type EmbeddedCluster, type Progress, runTask, startCluster, startSimulator } from '@terrain/embedded';
import { applyManifests, type KubeObject } from '@terrain/runtime';
import { fieldManager, installProduct } from './install.ts';
import { readManifests } from './manifest-file.ts';
import { startOperator } from './operator.ts';
import { waitUntilReady } from './readiness.ts';
import { announceRealNode, startRealPlatform } from './real.ts';

export interface UpOptions {
  readonly home: string;
  readonly nodes: 'simulated' | 'none';
  /** A node that is this machine, instead of simulated ones. */
  readonly real?: true;
  readonly examples: boolean;
  readonly simulator: boolean;
  readonly operator: boolean;
  readonly binaries?: string;
  readonly port?: number;
  readonly timeout: number;
}

/** What `up` has started. Disposing of it stops all of it, in order. */
export interface Product extends AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  readonly options: UpOptions;
  readonly examples: readonly KubeObject[];
}

export const examplesDirectory = join(import.meta.dirname, '../../../../examples');

/**
 * From nothing to a cluster with Terrain on it and the examples applied.
 *
 * Guarantees: when it throws, nothing it started is left running.
 */
export async function startProduct(options: UpOptions, progress: Progress, signal: AbortSignal): Promise<Product> {
  if (options.real === true) await announceRealNode(options, progress);
  const cluster = await startCluster({
    home: options.home,
    platform: options.real === true ? 'real' : 'simulated',
    nodes: options.nodes === 'none' || options.real === true ? 0 : 2,
    binaries: options.binaries,
    port: options.port,
    progress,
    signal,
  });
  try {
    const printed = options.examples ? readManifests(examplesDirectory) : [];
    // Each waits for what it needs and for nothing else: most of a start is waiting.
    const installed = install(cluster, progress, signal);
    const platform =
      options.real === true ? startRealPlatform(cluster, printed, options, progress, signal) : Promise.resolve(printed);
    await together([
      installed,
      platform,
      options.simulator && simulate(cluster, options, progress, signal),
      options.operator && installed.then(() => operate(cluster, progress, signal)),
      options.examples && installed.then(async () => applyExamples(cluster, await platform, options, progress, signal)),
    ]);
    const examples = await platform;
    // Without the platform nothing can be downloaded or run, and without the operator nobody tries.
    if (options.examples && options.operator && options.simulator)
      await awaitExamples(cluster, examples, options, progress, signal);
    return { cluster, options, examples, [Symbol.asyncDispose]: () => cluster.stop() };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function install(cluster: EmbeddedCluster, progress: Progress, signal: AbortSignal): Promise<void> {
  await runTask(progress, { name: 'install', title: 'Terrain: kinds, policies and roles' }, (report) =>
    installProduct(cluster.connection(), { signal, onApplied: (done, total) => report.advance(done, total, 'objects') }),
  );
}

async function simulate(cluster: EmbeddedCluster, { real }: UpOptions, progress: Progress, signal: AbortSignal): Promise<void> {
  const title = `Simulated platform: ${real === true ? "KubeVirt's machines" : 'CDI, KubeVirt, snapshots'}`;
  await runTask(progress, { name: 'simulator', title }, () =>
    startSimulator(cluster, { signal, ...(real === true ? { parts: ['kubevirt'] } : {}) }),
  );
}

async function operate(cluster: EmbeddedCluster, progress: Progress, signal: AbortSignal): Promise<void> {
  await runTask(progress, { name: 'operator', title: 'Operator' }, () => startOperator(cluster, { signal }));
}

async function applyExamples(
  cluster: EmbeddedCluster,
  examples: readonly KubeObject[],
  { timeout }: UpOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  await runTask(progress, { name: 'examples', title: `Examples: ${examples.length} objects accepted` }, () =>
    // What it waits for is that kinds are served, which has its own time: nobody means that by a short --timeout.
    applyManifests(cluster.connection(), examples, { fieldManager, signal, timeoutMs: Math.max(timeout, 60_000) }),
  );
}

async function awaitExamples(
  cluster: EmbeddedCluster,
  examples: readonly KubeObject[],
  { timeout, nodes, real }: UpOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const canRun = nodes === 'simulated' || real === true;
  const awaited = canRun ? examples : examples.filter(({ kind }) => kind !== 'Workspace');
  const title = `Examples: all ${canRun ? 'images, machines and workspaces' : 'images and machines'} ready`;
  await runTask(progress, { name: 'readiness', title }, (report) =>
    waitUntilReady(cluster.connection(), awaited, {
      signal,
      timeoutMs: timeout,
      onReady: (done, total) => report.advance(done, total, 'objects'),
    }),
  );
}

/** All of them, and if one fails its error once the others have ended too: nothing may still be starting when all is stopped. */
async function together(tasks: readonly (Promise<unknown> | false)[]): Promise<void> {
  const outcomes = await Promise.allSettled(tasks);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
