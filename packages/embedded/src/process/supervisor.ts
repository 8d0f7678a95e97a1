import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedError } from '#embedded-error.ts';
import { ManagedProcess, type ProcessExit } from './managed-process.ts';

export interface SupervisorOptions {
  /** Told, as a sentence, that a program ended by itself and runs again. */
  readonly onRestart?: (sentence: string) => void;
  /** How long to wait before the first new start; doubled with each end within the window. */
  readonly firstDelayMs?: number;
}

/** A program that ends more often than this within the window is not helped by being started once more. */
const mostEnds = 4;
const windowMs = 120_000;

/**
 * Keeps programs running.
 *
 * Guarantees: one that ends by itself is started again with the same command line; one that keeps ending settles `failed` with its last words and is
 * left alone; after `stop` nothing is started any more.
 */
export class Supervisor {
  /** Resolves with the reason when a program could not be kept running; never rejects, stays pending in an orderly life. */
  readonly failed: Promise<EmbeddedError>;
  readonly #fail: (reason: EmbeddedError) => void;
  readonly #options: SupervisorOptions;
  readonly #stop = new AbortController();
  readonly #ends = new Map<string, number[]>();
  readonly #restarting = new Set<Promise<void>>();

  constructor(options: SupervisorOptions = {}) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<EmbeddedError>();
    this.failed = promise;
    this.#fail = resolve;
  }

  /** Watches over a running program; `onReplaced` gets each process that takes its place. */
  watch(running: ManagedProcess, onReplaced: (successor: ManagedProcess) => void): void {
    void running.exited.then((exit) => {
      if (this.#stop.signal.aborted) return;
      const restart = this.#ended(running, exit, onReplaced);
      this.#restarting.add(restart);
      void restart.finally(() => this.#restarting.delete(restart));
    });
  }

  /** Starts nothing from now on; resolves once no start is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#restarting);
  }

  async #ended(old: ManagedProcess, exit: ProcessExit, onReplaced: (successor: ManagedProcess) => void): Promise<void> {
    const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`;
    const now = performance.now();
    const ends = [...(this.#ends.get(old.name) ?? []).filter((at) => now - at < windowMs), now];
    this.#ends.set(old.name, ends);
    try {
      if (ends.length >= mostEnds) throw new Error(`it ended ${ends.length} times within ${windowMs / 1000} s`);
      await delay((this.#options.firstDelayMs ?? 200) * 2 ** (ends.length - 1), undefined, { signal: this.#stop.signal });
      const successor = await ManagedProcess.start(old.options);
      onReplaced(successor);
      this.watch(successor, onReplaced);
      this.#options.onRestart?.(
        `${old.name} ended ${how} and was started again (process ${successor.pid}); its last words are in ${old.logFile}`,
      );
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const words = await old.lastWords(3);
      const why = `${old.name} ended ${how} and was not started again: ${(error as Error).message}`;
      this.#fail(new EmbeddedError('ComponentFailed', `${why}; the last lines of ${old.logFile} are:\n${words}`));
    }
  }
}
