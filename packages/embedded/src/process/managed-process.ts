import type { ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { signalProcess, spawnGuarded } from './guard.ts';

export interface ProcessOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Working directory; relative paths in `args` are read from here. */
  readonly directory: string;
  /** Both output streams are appended to this file. */
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether a running process keeps this one from ending by itself. Off for throw-away clusters. */
  readonly holdsEventLoop?: boolean;
}

/** How a process ended: a code, or the signal that ended it. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process that dies with us. */
export class ManagedProcess {
  /** How it was started: enough to start it again. */
  readonly options: ProcessOptions;
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** For listening only: to await it, use `waitForExit`, since a process that does not hold the event loop may never settle it. */
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  readonly #logStart: number;
  #exit: ProcessExit | undefined;

  private constructor(options: ProcessOptions, child: ChildProcess, pid: number, logStart: number) {
    this.#child = child;
    this.#logStart = logStart;
    this.options = options;
    this.name = options.name;
    this.pid = pid;
    this.logFile = options.logFile;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exit = { code, signal };
        resolve(this.#exit);
      });
    });
  }

  /** Resolves once the operating system has started the program; its readiness is for the caller to find out. */
  static async start(options: ProcessOptions): Promise<ManagedProcess> {
    const log = openSync(options.logFile, 'a', 0o600);
    const logStart = fstatSync(log).size;
    try {
      const child = spawnGuarded(options.program, options.args, {
        cwd: options.directory,
        env: options.env ?? process.env,
        stdout: log,
        stderr: log,
      });
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', (error) =>
          reject(new Error(`${options.name} could not be started: ${error.message}`, { cause: error })),
        );
      });
      if (!options.holdsEventLoop) release(child);
      return new ManagedProcess(options, child, child.pid!, logStart);
    } finally {
      closeSync(log);
    }
  }

  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  /** Asks the program to end and waits; past the deadline its whole process group is killed. */
  async stop(deadlineMs: number): Promise<ProcessExit> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.kill(), deadlineMs);
    try {
      return await this.waitForExit();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits for the end of the program and keeps this process from ending before it. */
  waitForExit(): Promise<ProcessExit> {
    if (this.#exit === undefined) this.#child.ref();
    return this.exited;
  }

  /** Ends the program and everything it started, at once. */
  kill(): void {
    if (this.#exit === undefined) signalProcess(-this.pid, 'SIGKILL');
  }

  signal(signal: NodeJS.Signals): void {
    // Until its exit is noticed the pid cannot have been given to another process, so it is safe to address.
    if (this.#exit === undefined) signalProcess(this.pid, signal);
  }

  /** What the program has written since it was started; the file may hold earlier lives too. */
  async output(): Promise<string> {
    const bytes = await readFile(this.logFile).catch(() => Buffer.alloc(0));
    return bytes.subarray(this.#logStart).toString('utf8');
  }

  /** The last lines the program wrote, for error messages. */
  async lastWords(lines = 5): Promise<string> {
    return (await this.output()).trimEnd().split('\n').slice(-lines).join('\n');
  }
}

function release(child: ChildProcess): void {
  child.unref();
  const pipe = child.stdin;
  if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
}
