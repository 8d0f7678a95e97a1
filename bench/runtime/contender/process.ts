import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Usage, usageOf } from '../measure/process-usage.ts';
import type { Contender } from './contenders.ts';
import { type Settings, toEnvironment } from './settings.ts';

const patienceSeconds = 300;

/** One life of a contender, and what it said so far. See Report for the words. */
export class ContenderProcess implements AsyncDisposable {
  readonly startedAt = performance.now();
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #said = new Map<string, PromiseWithResolvers<number>>();
  readonly #ended: Promise<void>;
  readonly #kill = (): void => void this.#child.kill('SIGKILL');
  #complaints = '';
  #hasEnded = false;

  constructor({ name, command }: Contender, settings: Settings) {
    this.#name = name;
    const [program, ...args] = command;
    this.#child = spawn(program, args, {
      env: { ...process.env, NODE_ENV: 'production', ...toEnvironment(settings) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    process.once('exit', this.#kill);
    createInterface({ input: this.#child.stdout! }).on('line', (word) => this.#heard(word).resolve(performance.now()));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#complaints = (this.#complaints + text).slice(-4000);
    });
    // Written to after its end, a pipe would otherwise end the bench.
    this.#child.stdin!.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        process.off('exit', this.#kill);
        this.#hasEnded = true;
        for (const word of this.#said.values()) word.reject(this.#failure());
        resolve();
      };
      this.#child.once('close', end).once('error', end);
    });
  }

  /** Resolves with the moment at which it said the word; rejects when it ends without, or patience does. */
  async said(word: string): Promise<number> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`the contender ${this.#name} did not say ${word} within ${patienceSeconds} s`)),
      patienceSeconds * 1000,
    );
    try {
      return await Promise.race([this.#heard(word).promise, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects when it ends before the work does. */
  async during<T>(work: Promise<T>): Promise<T> {
    const ended = this.#ended.then((): never => {
      throw this.#failure();
    });
    return Promise.race([work, ended]);
  }

  /** What it holds when all garbage is gone. */
  async usageWithoutGarbage(): Promise<Usage> {
    this.#child.stdin!.write('collect\n');
    await this.said('collected');
    return this.usage();
  }

  usage(): Usage {
    return usageOf(this.#child.pid!);
  }

  /** Sends a signal and resolves when it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (!this.#hasEnded) this.#child.kill(signal);
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }

  #heard(word: string): PromiseWithResolvers<number> {
    let heard = this.#said.get(word);
    if (heard === undefined) {
      heard = Promise.withResolvers<number>();
      // Nobody may be waiting for this word when the process ends.
      heard.promise.catch(() => undefined);
      this.#said.set(word, heard);
      if (this.#hasEnded) heard.reject(this.#failure());
    }
    return heard;
  }

  #failure(): Error {
    return new Error(`the contender ${this.#name} ended too early; its last words were:\n${this.#complaints}`);
  }
}
