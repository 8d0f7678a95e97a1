import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { platform } from './stage.ts';

const entry = fileURLToPath(new URL('../../src/simulator/main.ts', import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves once the output matches, or the process has ended. */
  until(pattern: RegExp): Promise<RegExpMatchArray | null>;
}

function run(...args: readonly string[]): Run {
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of waiting) look();
    });
  const until = (pattern: RegExp): Promise<RegExpMatchArray | null> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = pattern.exec(output);
        if (found === null && child.exitCode === null) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      child.once('exit', look);
      look();
    });
  return { child, output: () => output, until };
}

describe('the simulator as a process', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'terrain-scenario-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  test('says when it acts, serves its counter, and ends on SIGTERM', async (t) => {
    const cluster = await platform();
    const { child, output, until } = run('--kubeconfig', cluster.kubeconfig, '--speed', 'instant');
    t.after(() => child.kill('SIGKILL'));
    const ready = await until(/simulator ready, plays (.*); egress at (\S+)/);
    assert.ok(ready, output());
    assert.equal(ready[1], 'cdi, storage, snapshots, kubevirt');
    // What other suites left behind in the cluster may have been downloaded by now.
    const counted = (await (await fetch(ready[2] ?? '')).json()) as { urls: unknown };
    assert.ok(Array.isArray(counted.urls));
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0, output());
  });

  const wrong: Record<string, { given: string; args: readonly string[]; want: RegExp }> = {
    'a scenario with mistakes': {
      given: 'speed: fast\ndurations: {imprt: 1s}\n',
      args: [],
      want: /^speed must be .*\ndurations has no "imprt"/,
    },
    'a speed that is none': { given: '', args: ['--speed', 'warp'], want: /^speed must be a number .* it is warp/ },
    'a flag that does not exist': { given: '', args: ['--sped', '1'], want: /Unknown option '--sped'/ },
  };
  for (const [name, { given, args, want }] of Object.entries(wrong))
    test(`${name}: a sentence and code 1`, async () => {
      const file = join(directory, 'scenario.yaml');
      await writeFile(file, given);
      const { child, output, until } = run('--scenario', file, ...args);
      await until(/$never/);
      assert.equal(child.exitCode, 1);
      assert.match(output(), want);
      assert.doesNotMatch(output(), /\n\s+at /, 'no stack trace');
    });
});
