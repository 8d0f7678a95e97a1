import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLock } from '#process/file-lock.ts';

let mine: Promise<FileLock> | undefined;

/**
 * A machine has one real node, and suites look at what it leaves on the machine: those that need one take turns. Taken once per process, and given
 * back when it ends.
 */
export async function realNodeTurn(): Promise<void> {
  mine ??= FileLock.acquire(join(tmpdir(), 'terrain-real-suite.lock')).then((lock) => {
    process.once('exit', () => lock.release());
    return lock;
  });
  await mine;
}
