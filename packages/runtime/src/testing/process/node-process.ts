import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { clockShiftVariable, isClockShifted } from './messages.ts';

export interface NodeProcessOptions {
  /** Path of the program. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** A line of the output by which the program says that it is ready. Absent: it is as soon as it runs. */
  readonly ready?: RegExp;
  /** What its wall clock is off by from the start. */
  readonly clockShiftMs?: number;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const preload = new URL('./child-preload.ts', import.meta.url).href;
const patienceMs = 30_000;

const running = new Set<ChildProcess>();

/** One listener for all of them: one each would be warned about as a leak. */
function killAtExit(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', killRunning);
  running.add(child);
}

function hasEnded(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) process.off('exit', killRunning);
}

function killRunning(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * A Node program under test in a process of its own, to be killed, frozen and confused.
 *
 * Guarantees: never outlives this process: it is killed when this one exits, and ends by itself when this one is killed.
 * Assumptions: disposed of by the test that started it.
 */
export class NodeProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #listeners = new Set<() => void>();
  readonly exited: Promise<ProcessEnd>;
  #output = '';
  #end: ProcessEnd | undefined;

  private constructor(options: NodeProcessOptions) {
    this.#name = options.script.split('/').at(-1) ?? options.script;
    const shift = options.clockShiftMs === undefined ? {} : { [clockShiftVariable]: String(options.clockShiftMs) };
    this.#child = spawn(process.execPath, ['--import', preload, options.script, ...(options.args ?? [])], {
      ...(options.directory === undefined ? {} : { cwd: options.directory }),
      env: { ...process.env, ...options.env, ...shift },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    killAtExit(this.#child);
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#notify();
      });
    }
    this.exited = new Promise((resolve) => {
      // 'close' comes after the last output, 'exit' may come before it.
      this.#child.once('close', (code, signal) => {
        hasEnded(this.#child);
        this.#end = { code, signal };
        this.#notify();
        resolve(this.#end);
      });
    });
  }

  static async start(options: NodeProcessOptions): Promise<NodeProcess> {
    const started = new NodeProcess(options);
    try {
      await new Promise<void>((resolve, reject) => started.#child.once('spawn', resolve).once('error', reject));
      if (options.ready !== undefined) await started.said(options.ready);
      return started;
    } catch (error) {
      await started.kill();
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Everything it has written to both streams so far. */
  get output(): string {
    return this.#output;
  }

  /** How it ended; undefined while it runs. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** Resolves when its output matches, with the match; rejects when it ends without or patience does. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match !== null) return match;
      if (this.#end !== undefined)
        throw new Error(`${this.#name} ended (${describe(this.#end)}) without saying ${pattern}:\n${this.#tail()}`);
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`${this.#name} did not say ${pattern} within ${patienceMs / 1000} s:\n${this.#tail()}`);
      await this.#change(left);
    }
  }

  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<ProcessEnd> {
    this.#child.kill('SIGKILL');
    return this.exited;
  }

  /** SIGTERM; past the deadline SIGKILL. */
  async stop(deadlineMs = 10_000): Promise<ProcessEnd> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), deadlineMs);
    try {
      return await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }

  /** SIGSTOP; resolves when it stands still. */
  async freeze(): Promise<void> {
    this.#child.kill('SIGSTOP');
    const stat = `/proc/${this.pid}/stat`;
    while (existsSync(stat) && !/^\d+ \(.*\) T /.test(readFileSync(stat, 'utf8'))) await delay(1);
  }

  /** SIGCONT. */
  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** Sets its wall clock forward or back; resolves when it has. */
  async shiftClock(ms: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onMessage = (message: unknown): void => {
        if (!isClockShifted(message)) return;
        this.#child.off('message', onMessage);
        resolve();
      };
      this.#child.on('message', onMessage);
      this.#child.send({ shiftClockMs: ms }, (error) => {
        if (error !== null)
          reject(new Error(`the clock of ${this.#name} cannot be shifted any more: ${error.message}`, { cause: error }));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #change(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#listeners.add(done);
    });
  }

  #tail(): string {
    return this.#output.trimEnd().split('\n').slice(-20).join('\n');
  }
}

const describe = ({ code, signal }: ProcessEnd): string => (signal === null ? `code ${code}` : signal);

/** The path of a program that lies beside the test: `besides(import.meta.url, './controller.ts')`. */
export const besides = (url: string, relative: string): string => fileURLToPath(new URL(relative, url));
