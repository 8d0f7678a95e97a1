import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { isImpatient } from './interrupt.ts';

const moduleUrl = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);

/** Like `terrain up`: under npm, and longer at its end than two looks at the parent take. */
const slowToStop = `
  import { once } from 'node:events';
  import { setTimeout as delay } from 'node:timers/promises';
  import { interruptible } from ${moduleUrl('./interrupt.ts')};
  import { endWithNpm } from ${moduleUrl('./parent.ts')};
  using _ = endWithNpm({ npm_lifecycle_event: 'start' });
  await interruptible(async (signal) => {
    const life = setInterval(() => {}, 1000);
    process.stdout.write('works ' + process.pid + '\\n');
    await once(signal, 'abort');
    await delay(1300);
    clearInterval(life);
    process.stdout.write('stopped in order\\n');
  }).catch(() => {});`;

/** npm, as far as it matters here: it starts the program and waits. */
const npm = `require('node:child_process').spawn(process.execPath, ['--input-type=module', '-e', process.argv[1]], { stdio: 'inherit' })`;

async function start(args: readonly string[]): Promise<{ child: ChildProcess; pid: number; rest: Promise<string> }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = child.stdout.setEncoding('utf8');
  const [first] = (await once(output, 'data')) as [string];
  return { child, pid: Number(/works (\d+)/.exec(first)?.[1]), rest: text(output) };
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`the end of npm by ${signal} is told once, so that there is time to stop in order`, async () => {
    const { child, rest } = await start(['-e', npm, slowToStop]);
    child.kill(signal);
    assert.equal(await rest, 'stopped in order\n');
  });
}

test('one Ctrl-C that arrives twice, or comes with the end of the terminal, is no second wish', async () => {
  const { pid, rest } = await start(['--input-type=module', '-e', slowToStop]);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(pid, signal);
  assert.equal(await rest, 'stopped in order\n');
});

const cases: Record<string, { given: Parameters<typeof isImpatient>; want: boolean }> = {
  'the same Ctrl-C, passed on by npm': { given: ['SIGINT', 4], want: false },
  'a person presses Ctrl-C again': { given: ['SIGINT', 1500], want: true },
  'somebody insists on the end': { given: ['SIGTERM', 5000], want: true },
  'the terminal goes after a Ctrl-C': { given: ['SIGHUP', 5000], want: false },
};

for (const [name, { given, want }] of Object.entries(cases)) test(name, () => assert.equal(isImpatient(...given), want));
