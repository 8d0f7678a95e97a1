import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '#control-plane/control-plane.ts';
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
    const cluster = await TestCluster.start(directory, testBinaries(), (started) => {
      plane = started;
    });
    await cluster.ensure(options);
    return cluster;
  } catch (error) {
    plane?.killAll();
    throw error;
  }
}

function testBinaries(): string {
  const directory = process.env.TERRAIN_BINARIES;
  if (directory === undefined) throw new Error('set TERRAIN_BINARIES to the directory of etcd, kube-apiserver and kubectl');
  return directory;
}

function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
