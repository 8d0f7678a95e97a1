import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedError } from '#embedded-error.ts';
import { replaceFile } from '#home/record.ts';
import { FileLock, lockOwner } from '#process/file-lock.ts';
import { until } from '#process/until.ts';
import { runDirectory } from '../layout.ts';
import type { FirewallNames } from './firewall.ts';
import type { Settings } from './sysctl.ts';

/**
 * What a real node changed on this machine, written before it changes anything. As long as it is there, something may be left to clean up; without
 * it nothing is touched. Below /run, since a reboot undoes all of it.
 */
export interface MachineRecord {
  readonly home: string;
  readonly node: string;
  readonly settings: Settings;
  readonly firewall: FirewallNames;
}

const path = join(runDirectory, 'node.json');
/** Held by the process that runs the machine's real node. */
export const machineLock = join(runDirectory, 'lock');

/** A machine has one set of links, tables and settings, so one real node at a time; waits for that long for another one to end. */
export async function lockMachine(waitMs: number, signal: AbortSignal | undefined): Promise<FileLock> {
  await mkdir(runDirectory, { recursive: true, mode: 0o700 });
  const ask = async () => {
    const lock = FileLock.tryAcquire(machineLock);
    return lock instanceof FileLock ? lock : undefined;
  };
  try {
    return await until('the end of another real node', ask, { timeoutMs: waitMs, everyMs: 500, signal });
  } catch (error) {
    const owner = lockOwner(machineLock);
    if (owner === undefined) throw error;
    const home = (await readMachineRecord())?.home ?? 'another home';
    throw new EmbeddedError(
      'NodeInUse',
      `A real node of ${home} already runs on this machine (process ${owner.pid}): stop it with \`terrain down --home ${home}\`; there can be only one.`,
    );
  }
}

export async function readMachineRecord(): Promise<MachineRecord | undefined> {
  return readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as MachineRecord,
    () => undefined,
  );
}

export async function writeMachineRecord(record: MachineRecord): Promise<void> {
  await replaceFile(path, `${JSON.stringify(record, undefined, 2)}\n`);
}

export async function removeMachineRecord(): Promise<void> {
  await rm(path, { force: true });
}
