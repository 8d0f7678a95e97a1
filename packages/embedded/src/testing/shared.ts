import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Binaries, ensureBinaries } from '#binary/ensure.ts';
import type { ControlPlane } from '#control-plane/control-plane.ts';
import { isRunning } from '#process/process-facts.ts';
import { plainProgress } from '#progress.ts';
import { TestCluster, type TestClusterOptions } from './cluster.ts';

const prefix = 'terrain-test-';
let shared: Promise<TestCluster> | undefined;

/**
 * The throw-away cluster of this process: started at the first call, shared by all later ones, gone when the process ends.
 *
 * Guarantees: nothing keeps running after this process, whether it ends by itself, crashes or is killed.
 * Caveats: a killed process cannot remove its directory; the next test process does.
 */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  shared ??= newTestCluster();
  const cluster = await shared;
  await cluster.ensure(options);
  return cluster;
}

/** A throw-away cluster of the caller's own, for tests that break it. Also gone when the process ends; `stop()` ends it sooner. */
export async function newTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  removeLeftovers();
  const directory = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  let plane: ControlPlane | undefined;
  const removeAll = () => {
    plane?.killAll();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.once('exit', removeAll);
  try {
    const cluster = await TestCluster.start(directory, await testBinaries(), (started) => {
      plane = started;
    });
    await cluster.ensure(options);
    return cluster;
  } catch (error) {
    plane?.killAll();
    throw error;
  }
}

/** From the cache, or from `$TERRAIN_BINARIES`. A build says on standard error how far it is, since it takes minutes. */
function testBinaries(): Promise<Binaries> {
  return ensureBinaries(['core'], { binaries: process.env.TERRAIN_BINARIES, progress: plainProgress() });
}

function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (Number.isInteger(pid) && !isRunning(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
