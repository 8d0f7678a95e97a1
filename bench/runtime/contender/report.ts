import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What a contender says to the bench, one word a line: `synced` once its caches are complete, `settled` once it has looked at as many objects
 * as it was told to expect, `collected` after it was asked to `collect` its garbage. It ends when its standard input does, so none outlives
 * the bench.
 */
export class Report {
  readonly #expected: number;
  readonly #seen = new Set<string>();

  constructor(expected: number) {
    this.#expected = expected;
    createInterface({ input: process.stdin })
      .on('line', (line) => {
        if (line === 'collect') void this.#collect();
      })
      .on('close', () => process.exit(0));
  }

  synced(): void {
    this.#say('synced');
  }

  /** Whether it had anything to write or not. */
  passed(name: string): void {
    if (this.#seen.size >= this.#expected) return;
    this.#seen.add(name);
    if (this.#seen.size === this.#expected) this.#say('settled');
  }

  async #collect(): Promise<void> {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as (options: object) => void;
    // Pages go back to the system on other threads, some of them only after the next collection.
    for (let round = 0; round < 5; round++) {
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      await delay(100);
    }
    this.#say('collected');
  }

  #say(word: string): void {
    process.stdout.write(`${word}\n`);
  }
}
