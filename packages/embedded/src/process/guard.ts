import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/**
 * Runs a program that must never outlive us, not even after SIGKILL of this process.
 * A watcher in the program's own process group blocks on a pipe whose other end only we hold. When we end, however we end,
 * the kernel closes our end, the watcher reads end-of-file and kills the group. `exec` makes the program take the shell's
 * place, so its pid, exit code and signals are the ones we see; a new session keeps a terminal's Ctrl-C from reaching it,
 * because the order of stopping matters.
 */
const guarded = 'exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL 0) & exec "$@" 3<&-';

export interface GuardOptions extends Pick<SpawnOptions, 'cwd' | 'env'> {
  readonly stdout: number | 'pipe' | 'ignore';
  readonly stderr: number | 'pipe' | 'ignore';
}

/** Starts a program under guard. It leads a process group of its own, so `-pid` addresses it with all its children. */
export function spawnGuarded(program: string, args: readonly string[], options: GuardOptions): ChildProcess {
  const { stdout, stderr, ...rest } = options;
  // Node closes our end of the pipe when the program ends: the watcher leaves, and takes along whatever is left in the group.
  return spawn('/bin/sh', ['-c', guarded, 'terrain', program, ...args], {
    ...rest,
    detached: true,
    stdio: ['pipe', stdout, stderr],
  });
}

/** Sends a signal to a process, or with a negative number to its group; one that is already gone is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
