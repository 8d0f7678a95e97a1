// One installer at a time: a second npm script that starts meanwhile waits instead of tearing node_modules apart.
// The same lock as packages/embedded/src/process/file-lock.ts, which says why it takes a succession; here as plain JavaScript that waits
// without an event loop, because it runs before anything is installed.
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fail } from './problem.mjs';

/**
 * Runs the action while no other process runs one under this lock. `onWait` is told the number of the process we wait for, once for each.
 *
 * @param {string} path
 * @param {(pid: number) => void} onWait
 * @param {() => void} action
 */
export function withInstallLock(path, onWait, action) {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let told;
  for (let owner = take(path); owner !== undefined; owner = take(path)) {
    if (owner !== told) onWait(Number.parseInt(owner, 10));
    told = owner;
    Atomics.wait(pause, 0, 0, 200);
  }
  try {
    action();
  } finally {
    if (readLock(path) === ourselves()) rmSync(path, { force: true });
  }
}

/** Puts our name into the file, or returns the name that is there: of somebody alive. */
function take(path) {
  const mine = `${path}.${randomUUID()}`;
  writeFileSync(mine, ourselves());
  try {
    for (;;) {
      // Linked into place with its content, so that a lock without an owner in it never exists.
      if (tryLink(mine, path)) return undefined;
      const text = readLock(path);
      if (text === undefined) continue;
      if (isAlive(text)) return text;
      const succession = `${path}.after-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
      const successor = take(succession);
      if (successor !== undefined) return successor;
      try {
        if (readLock(path) === text) {
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

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Only a lock that is gone is nobody's: one that cannot be read would be tried again without end. */
function readLock(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    return fail(
      `${path} cannot be read (${error.code}), so it is unknown whether another process installs npm packages. If none does, delete it (\`rm -r ${path}\`) and try again.`,
    );
  }
}

/** What the system says in a file of /proc, which is none where there is no /proc and where the process has just ended. */
function readIfTold(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const ourselves = () => `${process.pid} ${lifeOf(process.pid)}`;

/** Whether the process of that name runs; where only a number is known, whether any of that number does. */
function isAlive(name) {
  const [pid, ...life] = name.split(' ');
  if (!/^[1-9]\d*$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // Somebody else's process cannot be asked, but it is there.
    if (error.code !== 'EPERM') return false;
  }
  return life.length === 0 || life.join(' ') === lifeOf(pid);
}

/** Tells a process from a later one of the same number; nothing where the system does not say, as on macOS. */
function lifeOf(pid) {
  const stat = readIfTold(`/proc/${pid}/stat`);
  if (stat === undefined) return '';
  // The program's name before the last bracket may contain anything; the start time is the 20th field after it.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z') return '';
  return `${readIfTold('/proc/sys/kernel/random/boot_id')?.trim() ?? ''} ${fields[18]}`;
}
