import { readFile, rm } from 'node:fs/promises';
import { type HomeLayout, homeLayout } from '#home/layout.ts';
import { replaceFile } from '#home/record.ts';
import { lockOwner } from '#process/file-lock.ts';

/** What the process that runs a cluster tells others about it. */
export interface RunningFile {
  readonly pid: number;
  readonly state: 'starting' | 'running';
  readonly startedAt: string;
  readonly port?: number;
  /** The directory of ready-made programs it was started from. Absent where they were built here. */
  readonly binaries?: string;
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
}

export async function writeRunningFile(layout: HomeLayout, running: RunningFile): Promise<void> {
  await replaceFile(layout.running, `${JSON.stringify(running, undefined, 2)}\n`);
}

/** Changes what it says about a cluster this process runs. */
export async function updateRunningFile(layout: HomeLayout, change: Partial<RunningFile>): Promise<void> {
  const running = await readRunningFile(layout);
  if (running !== undefined) await writeRunningFile(layout, { ...running, ...change });
}

export async function removeRunningFile(layout: HomeLayout): Promise<void> {
  await rm(layout.running, { force: true });
}

/** Undefined when nobody runs a cluster there; a file left by a process that was killed does not count. */
export async function readRunningFile(layout: HomeLayout): Promise<RunningFile | undefined> {
  const owner = lockOwner(layout.lock);
  if (owner === undefined) return undefined;
  const starting: RunningFile = { pid: owner.pid, state: 'starting', startedAt: '', processes: [] };
  try {
    const running = JSON.parse(await readFile(layout.running, 'utf8')) as RunningFile;
    return running.pid === owner.pid ? running : starting;
  } catch {
    return starting;
  }
}

/** The directory of ready-made programs that the cluster of a home runs from; undefined when none runs, or from programs that were built here. */
export async function readyMadePrograms(home: string): Promise<string | undefined> {
  return (await readRunningFile(homeLayout(home)))?.binaries;
}
