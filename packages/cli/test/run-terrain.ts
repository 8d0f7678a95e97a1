import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const entry = join(import.meta.dirname, '../src/terrain.ts');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running `terrain` as a person would have it in a terminal. */
export class Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  #stdout = '';
  #stderr = '';

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, [entry, ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.finished = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code) => resolve({ code, stdout: this.#stdout, stderr: this.#stderr }));
    });
  }

  /** Resolves when the text has been printed; rejects when the program ends without it. */
  printed(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!this.#stderr.includes(text) && !this.#stdout.includes(text)) return;
        for (const stream of [this.child.stdout, this.child.stderr]) stream?.off('data', look);
        resolve();
      };
      for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', look);
      void this.finished.then(
        ({ stderr, code }) => reject(new Error(`ended with ${code} before it printed "${text}":\n${stderr}`)),
        reject,
      );
      look();
    });
  }
}

export function terrain(...args: readonly string[]): Promise<Finished> {
  return new Running(args).finished;
}

/** A home that is removed at the end of the test, with whatever runs in it stopped first. */
export async function withHome(work: (home: string) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'terrain-cli-'));
  try {
    await work(home);
  } finally {
    await terrain('down', '--home', home);
    rmSync(home, { recursive: true, force: true });
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
