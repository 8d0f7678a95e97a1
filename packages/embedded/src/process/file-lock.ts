import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from './process-facts.ts';

/** Who holds a lock. */
export interface LockOwner {
  readonly pid: number;
  /** Tells this process from a later one that got the same number. */
  readonly identity: string;
}

/**
 * A lock between processes of one machine, kept in a file.
 *
 * Guarantees: at most one live process holds it; a holder that died, however, does not block the next one.
 * Assumptions: all processes see the same process numbers and the same file system.
 */
export class FileLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Takes the lock, or says who has it. */
  static tryAcquire(path: string): FileLock | LockOwner {
    const mine = `${path}.${process.pid}`;
    // Linked into place with its content, so that a lock without an owner in it never exists.
    writeFileSync(mine, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) ?? '' } satisfies LockOwner));
    try {
      for (;;) {
        if (tryLink(mine, path)) return new FileLock(path);
        const owner = readOwner(path);
        if (owner !== undefined && isHeld(owner)) return owner;
        rmSync(path, { force: true });
      }
    } finally {
      rmSync(mine, { force: true });
    }
  }

  /** Waits for the lock; `onWait` is told once whom we wait for. */
  static async acquire(
    path: string,
    options: { onWait?: (owner: LockOwner) => void; signal?: AbortSignal | undefined } = {},
  ): Promise<FileLock> {
    for (let waited = false; ; waited = true) {
      const result = FileLock.tryAcquire(path);
      if (result instanceof FileLock) return result;
      if (!waited) options.onWait?.(result);
      await delay(200, undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
  }

  release(): void {
    rmSync(this.#path, { force: true });
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** The live holder of a lock, if there is one. */
export function lockOwner(path: string): LockOwner | undefined {
  const owner = readOwner(path);
  return owner !== undefined && isHeld(owner) ? owner : undefined;
}

function isHeld(owner: LockOwner): boolean {
  return processIdentity(owner.pid) === owner.identity;
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined when there is no lock or nobody can be told from it, which a crash of the machine may leave behind. */
function readOwner(path: string): LockOwner | undefined {
  try {
    const { pid, identity } = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockOwner>;
    return typeof pid === 'number' && typeof identity === 'string' ? { pid, identity } : undefined;
  } catch {
    return undefined;
  }
}
