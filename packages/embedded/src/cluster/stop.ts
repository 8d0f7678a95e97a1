import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type HomeLayout, homeLayout } from '#home/layout.ts';
import { type FileLock, lockOwner } from '#process/file-lock.ts';
import { signalProcess } from '#process/guard.ts';
import { until } from '#process/until.ts';
import { lockHome } from './open-home.ts';

export interface StopOptions {
  /** Also set the data aside, so that the next start begins with an empty cluster. */
  readonly wipe?: boolean | undefined;
  /** How long the process that runs the cluster may take before it is killed. */
  readonly deadlineMs?: number | undefined;
}

export interface StopResult {
  /** The process that ran the cluster and was asked to end; undefined when none did. */
  readonly pid: number | undefined;
  /** Whether it had to be killed. Its children die with it, and no data is lost. */
  readonly wasKilled: boolean;
  /** Where the data is now, if it was set aside. */
  readonly dataAside: string | undefined;
}

/** Ends the cluster that another process runs in this home. Nothing running is fine too. */
export async function stopCluster(home: string, options: StopOptions = {}): Promise<StopResult> {
  const layout = homeLayout(home);
  const owner = lockOwner(layout.lock);
  let wasKilled = false;
  if (owner !== undefined) {
    const isGone = async () => (lockOwner(layout.lock)?.identity === owner.identity ? undefined : true);
    signalProcess(owner.pid, 'SIGTERM');
    try {
      await until('the end of the cluster', isGone, { timeoutMs: options.deadlineMs ?? 60_000 });
    } catch {
      wasKilled = true;
      signalProcess(owner.pid, 'SIGKILL');
      await until('the end of the killed process', isGone, { timeoutMs: 10_000 });
    }
  }
  return { pid: owner?.pid, wasKilled, dataAside: options.wipe ? await setDataAside(layout) : undefined };
}

/** Moves the data of a stopped cluster, its volumes too, to a name beside it; undefined when there is none. It is never deleted. */
async function setDataAside(layout: HomeLayout): Promise<string | undefined> {
  if (!existsSync(layout.data)) return undefined;
  using _lock: FileLock = await lockHome(layout);
  const aside = `${layout.data}.${new Date().toISOString().replace(/[:.]/g, '-')}`;
  await rename(layout.data, aside);
  // Nobody would know any more whose they are.
  if (existsSync(layout.volumes)) await rename(layout.volumes, join(aside, 'volumes'));
  return aside;
}
