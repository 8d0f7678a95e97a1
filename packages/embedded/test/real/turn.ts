import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLock } from '#process/file-lock.ts';
import { ensurePackages } from '#real/packages.ts';

let mine: Promise<FileLock> | undefined;

/**
 * A machine has one real node, and suites look at what it leaves on the machine: those that need one take turns. Taken once per process, and given
 * back when it ends. Whoever has the turn has the programs to look with, also before the first node was started.
 */
export async function realNodeTurn(): Promise<void> {
  mine ??= FileLock.acquire(join(tmpdir(), 'terrain-real-suite.lock')).then(async (lock) => {
    process.once('exit', () => lock.release());
    await ensurePackages();
    return lock;
  });
  await mine;
}
