import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from './process-facts.ts';

/** Who holds a lock. */
export interface LockOwner {
  readonly pid: number;
  /** Tells this process from a later one that got the same number. */
  readonly identity: string;
}

type IdentityOf = (pid: number) => string | undefined;

/**
 * A lock between processes of one machine, kept in a file.
 *
 * Guarantees: at most one live process holds it; a holder that died, however, does not block the next one.
 * Assumptions: all processes see the same process numbers and the same file system.
 */
export class FileLock {
  readonly #path: string;
  #isHeld = true;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Takes the lock, or says who has it. */
  static tryAcquire(path: string, identityOf: IdentityOf = processIdentity): FileLock | LockOwner {
    return take(path, identityOf) ?? new FileLock(path);
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
    // Once: afterwards the file may be somebody else's.
    if (!this.#isHeld) return;
    this.#isHeld = false;
    rmSync(this.#path, { force: true });
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** The live holder of a lock, if there is one that we may know of. */
export function lockOwner(path: string): LockOwner | undefined {
  try {
    return liveOwner(readIfThere(path), processIdentity);
  } catch {
    return undefined;
  }
}

/** Puts our name into the file, or returns whose it is. */
function take(path: string, identityOf: IdentityOf): LockOwner | undefined {
  const mine = `${path}.${randomUUID()}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) ?? '' } satisfies LockOwner));
  try {
    for (;;) {
      // Linked into place with its content, so that a lock without an owner in it never exists.
      if (tryLink(mine, path)) return undefined;
      const text = readIfThere(path);
      if (text === undefined) continue;
      const owner = liveOwner(text, identityOf);
      if (owner !== undefined) return owner;
      const succession = successionOf(path, text);
      const successor = take(succession, identityOf);
      if (successor !== undefined) return successor;
      try {
        if (isStill(path, text, identityOf)) {
          renameSync(mine, path);
          return undefined;
        }
      } finally {
        rmSync(succession, { force: true });
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/**
 * The lock that whoever replaces this text of a dead owner must hold, itself taken in the same way should its owner die.
 *
 * No file system removes or replaces a file only if it still says something. To remove the file of a dead owner could therefore remove that of a
 * live one who was faster. So a text is changed only by its owner, and after the owner's death only by the one who holds the succession to it: what
 * that one reads stays so until it has put its own in place, and at no time is the file absent.
 */
export function successionOf(path: string, text: string): string {
  return `${path}.after-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** Whether the lock still says what it said, and of somebody dead: others may have come and gone before we got the succession. */
function isStill(path: string, text: string, identityOf: IdentityOf): boolean {
  return readIfThere(path) === text && liveOwner(text, identityOf) === undefined;
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

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined also when nobody can be told from the text, which a crash of the machine may leave behind. */
function liveOwner(text: string | undefined, identityOf: IdentityOf): LockOwner | undefined {
  try {
    const { pid, identity } = JSON.parse(text ?? '') as Partial<LockOwner>;
    if (typeof pid !== 'number' || typeof identity !== 'string') return undefined;
    return identityOf(pid) === identity ? { pid, identity } : undefined;
  } catch {
    return undefined;
  }
}
