import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, ExitCode, exitCodeOf } from '../output/exit.ts';

/** What the process in the background tells the one that started it, once. */
type Announcement =
  | { readonly state: 'ready' }
  | { readonly state: 'failed'; readonly sentence: string; readonly exitCode: number };

/**
 * Starts the same command again in the background and waits until it is ready or has failed.
 *
 * Its output goes to `logs/terrain.log` of the home; the answer comes over an IPC channel, so a failure arrives as its own sentence.
 */
export async function runDetached(home: string): Promise<void> {
  const logs = join(home, 'logs');
  const { makeHomeDirectory } = await import('@terrain/embedded');
  await makeHomeDirectory(logs);
  const logFile = join(logs, 'terrain.log');
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, process.argv.slice(1), { detached: true, stdio: ['ignore', log, log, 'ipc'] });
  closeSync(log);
  process.stderr.write(`Starting in the background (process ${child.pid}); it writes to ${logFile}\n`);
  const announcement = await new Promise<Announcement>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Announcement));
    child.once('error', reject);
    child.once('exit', (code) =>
      resolve({
        state: 'failed',
        exitCode: ExitCode.failed,
        sentence: `it ended with code ${code} before it was ready; see ${logFile}`,
      }),
    );
  });
  if (child.connected) child.disconnect();
  child.unref();
  if (announcement.state === 'failed') throw new CommandError(announcement.sentence, announcement.exitCode);
  process.stderr.write(`Ready. \`terrain status --home ${home}\` shows it, \`terrain down --home ${home}\` stops it.\n`);
}

/** The other end: tells the process that started this one, if it waits. */
export function announceToParent(): { ready(): void; failed(error: Error): void } {
  const send = (announcement: Announcement): void => {
    if (process.connected) process.send?.(announcement, () => process.disconnect?.());
  };
  return {
    ready: () => send({ state: 'ready' }),
    failed: (error) => send({ state: 'failed', sentence: error.message, exitCode: exitCodeOf(error) }),
  };
}
