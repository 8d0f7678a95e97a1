import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

const scripts = join(import.meta.dirname, '..');

/** In the place of npm: notes how it was called, waits for `npm-may-go` if asked to, and installs a Node. */
const npm = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
const pause = new Int32Array(new SharedArrayBuffer(4));
if (process.env.NPM_WAITS) while (!existsSync('npm-may-go')) Atomics.wait(pause, 0, 0, 10);
if (process.env.NPM_FAILS) process.exit(1);
mkdirSync('node_modules/.bin', { recursive: true });
if (!process.env.NPM_HAS_NO_NODE) writeFileSync('node_modules/.bin/node', '');
`;

/** A checkout in which nothing is installed yet, with an npm that only plays. */
export class Checkout {
  readonly root: string;
  readonly lock: string;
  readonly #t: TestContext;

  constructor(t: TestContext) {
    this.#t = t;
    this.root = mkdtempSync(join(tmpdir(), 'terrain-bootstrap-'));
    this.lock = join(this.root, '.npm-install.lock');
    t.after(() => rmSync(this.root, { recursive: true, force: true }));
    mkdirSync(join(this.root, 'scripts'));
    for (const name of ['bootstrap.mjs', 'bootstrap'])
      if (existsSync(join(scripts, name))) cpSync(join(scripts, name), join(this.root, 'scripts', name), { recursive: true });
    this.write('package-lock.json', '{}');
    this.write('.npmrc', '');
    this.write('npm.mjs', npm);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.root, name), text);
  }

  /** How npm was called, a line each. */
  npmCalls(): string[] {
    const log = join(this.root, 'npm.log');
    return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
  }

  start(env: NodeJS.ProcessEnv = {}, ...flags: string[]): Bootstrap {
    const child = spawn(process.execPath, [...flags, join(this.root, 'scripts/bootstrap.mjs')], {
      cwd: tmpdir(),
      env: { ...process.env, npm_execpath: join(this.root, 'npm.mjs'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#t.after(() => child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const end = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
    return { pid: child.pid ?? 0, end, said: (word) => until(() => word.test(output)) };
  }

  run(env: NodeJS.ProcessEnv = {}, ...flags: string[]): Bootstrap['end'] {
    return this.start(env, ...flags).end;
  }
}

interface Bootstrap {
  readonly pid: number;
  readonly end: Promise<{ readonly code: number | null; readonly output: string }>;
  said(word: RegExp): Promise<void>;
}

/** The tests that use it have a timeout. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(20);
}
