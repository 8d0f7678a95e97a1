import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Usage, usageOf } from '../../runtime/measure/process-usage.ts';

/** For what starts; what works first is given more. */
const startMs = 120_000;

/** A program of ours beside the cluster. None outlives the bench. */
export class Companion implements AsyncDisposable {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #kill = (): void => void this.#child.kill('SIGKILL');
  #words = '';

  private constructor(name: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#name = name;
    this.#child = spawn(process.execPath, args, {
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    process.once('exit', this.#kill);
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    this.#ended = new Promise((resolve) => this.#child.once('close', () => resolve()).once('error', () => resolve()));
    void this.#ended.then(() => process.off('exit', this.#kill));
  }

  /** Resolves when it has printed a line with these words, with that line. */
  static async start(
    name: string,
    args: readonly string[],
    words: string,
    env: NodeJS.ProcessEnv = {},
    patienceMs = startMs,
  ): Promise<{ companion: Companion; line: string }> {
    const companion = new Companion(name, args, env);
    return { companion, line: await companion.#said(words, patienceMs) };
  }

  get usage(): Usage {
    return usageOf(this.#child.pid!);
  }

  /** Rejects when it ends before the work does. */
  async during<T>(work: Promise<T>): Promise<T> {
    const ended = this.#ended.then((): never => {
      throw new Error(`the ${this.#name} ended too early; its last words were:\n${this.#words}`);
    });
    return Promise.race([work, ended]);
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }

  #hear(text: string): void {
    this.#words = (this.#words + text).slice(-4000);
  }

  async #said(words: string, patienceMs: number): Promise<string> {
    const found = new Promise<string>((resolve) => {
      createInterface({ input: this.#child.stdout! }).on('line', (line) => {
        this.#hear(`${line}\n`);
        if (line.includes(words)) resolve(line);
      });
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`the ${this.#name} did not say "${words}" within ${patienceMs / 1000} s:\n${this.#words}`)),
      patienceMs,
    );
    try {
      return await this.during(Promise.race([found, late.promise]));
    } finally {
      clearTimeout(timer);
    }
  }
}
