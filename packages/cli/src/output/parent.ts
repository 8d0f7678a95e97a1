import { readFileSync } from 'node:fs';

/**
 * Ends this process in good order when npm, which started it, is gone.
 *
 * `npm start` puts npm and a shell between the person and us: a kill of npm reaches neither, and we would run on unseen. The system does not tell a
 * child that its parents have died, so the one way is to look; a change among the two next ancestors is that death. Started by anything but npm
 * nothing is done: a shell may end while its background jobs are meant to go on.
 */
export function endWithNpm(environment: NodeJS.ProcessEnv = process.env): Disposable {
  const before = ancestors();
  const look = (): void => {
    if (ancestors() === before) return;
    // Told once: a stop in good order takes longer than the time to the next look.
    clearInterval(timer);
    process.kill(process.pid, 'SIGHUP');
  };
  const timer = environment.npm_lifecycle_event === undefined ? undefined : setInterval(look, 500).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The shell, and npm above it. Where the system has no /proc only the first is known. */
function ancestors(): string {
  return `${process.ppid} ${parentOf(process.ppid) ?? ''}`;
}

function parentOf(pid: number): string | undefined {
  try {
    return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
