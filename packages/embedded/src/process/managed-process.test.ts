import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { ManagedProcess } from './managed-process.ts';
import { isRunning, residentBytes } from './process-facts.ts';
import { until } from './until.ts';

async function start(t: TestContext, script: string) {
  const directory = temporaryDirectory(t);
  const started = await ManagedProcess.start({
    name: 'test',
    program: '/bin/sh',
    args: ['-c', script],
    directory,
    logFile: join(directory, 'log'),
    holdsEventLoop: true,
  });
  t.after(() => started.kill());
  return started;
}

/** Waits for a line of digits in the log: the pid of a grandchild. */
const grandchild = (process: ManagedProcess) =>
  until('the grandchild', async () => Number(/\d+/.exec(await process.output())?.[0] ?? 0) || undefined, {
    timeoutMs: 5000,
    everyMs: 5,
  });

test('output goes to the log, the exit code to us', async (t) => {
  const started = await start(t, 'echo out; echo err >&2; exit 7');
  assert.deepEqual(await started.exited, { code: 7, signal: null });
  assert.deepEqual(started.exit, { code: 7, signal: null });
  assert.equal(await started.output(), 'out\nerr\n');
  assert.equal(await started.lastWords(1), 'err');
});

test('only what this life wrote is its output', async (t) => {
  const first = await start(t, 'echo first');
  await first.exited;
  const second = await ManagedProcess.start({
    name: 'test',
    program: '/bin/sh',
    args: ['-c', 'echo second'],
    directory: '/',
    logFile: first.logFile,
  });
  await second.exited;
  assert.equal(await second.output(), 'second\n');
  assert.equal(readFileSync(first.logFile, 'utf8'), 'first\nsecond\n');
});

test('the pid is that of the program, and it runs in a session of its own', async (t) => {
  const started = await start(t, 'echo $$; sleep 1000');
  assert.equal(await grandchild(started), started.pid);
  assert.ok((residentBytes(started.pid) ?? 0) > 0);
  assert.deepEqual(await started.stop(5000), { code: null, signal: 'SIGTERM' });
});

test('who does not end when asked is killed at the deadline, children included', async (t) => {
  const started = await start(t, 'trap "" TERM; sleep 1000 & echo $!; while :; do wait; done');
  const child = await grandchild(started);
  assert.deepEqual(await started.stop(50), { code: null, signal: 'SIGKILL' });
  await until('the end of the child', async () => (isRunning(child) ? undefined : true), { timeoutMs: 5000, everyMs: 5 });
});

test('what a program leaves behind does not outlive it', async (t) => {
  const started = await start(t, 'sleep 1000 & echo $!');
  const child = await grandchild(started);
  assert.deepEqual(await started.exited, { code: 0, signal: null });
  await until('the end of the child', async () => (isRunning(child) ? undefined : true), { timeoutMs: 5000, everyMs: 5 });
});

test('stopping twice, or after the end, is harmless', async (t) => {
  const started = await start(t, 'exit 0');
  await started.exited;
  assert.deepEqual(await started.stop(1000), { code: 0, signal: null });
  started.kill();
});

test('a program that does not exist ends with the code shells give', async (t) => {
  const directory = temporaryDirectory(t);
  const started = await ManagedProcess.start({
    name: 'x',
    program: join(directory, 'missing'),
    args: [],
    directory,
    logFile: join(directory, 'log'),
  });
  assert.deepEqual(await started.exited, { code: 127, signal: null });
  assert.match(await started.output(), /not found/);
});

test('a program in the background lets this process end, unless its end is awaited', async () => {
  const run = async (last: string) => {
    const script = `
      import { ManagedProcess } from '${import.meta.resolve('./managed-process.ts')}';
      const program = await ManagedProcess.start({ name: 'x', program: '/bin/sh', args: ['-c', 'sleep 0.2; exit 3'], directory: '/', logFile: '/dev/null' });
      ${last}`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    const [code] = (await once(child, 'close')) as [number];
    return { code, output: Buffer.concat(output).toString() };
  };
  assert.deepEqual(await run('console.log("started");'), { code: 0, output: 'started\n' });
  assert.deepEqual(await run('console.log((await program.waitForExit()).code);'), { code: 0, output: '3\n' });
});

for (const signal of ['SIGKILL', 'SIGTERM', 'SIGHUP'] as const) {
  test(`nothing outlives a parent that ends by ${signal}`, async (t) => {
    const directory = temporaryDirectory(t);
    const script = `
      import { ManagedProcess } from '${import.meta.resolve('./managed-process.ts')}';
      const options = { name: 'x', program: '/bin/sh', directory: '/', holdsEventLoop: true };
      const one = await ManagedProcess.start({ ...options, args: ['-c', 'trap "" TERM HUP; sleep 1000 & echo $!; while :; do wait; done'], logFile: '${directory}/log' });
      const child = async () => { for (;;) { const pid = Number((await one.output()).trim()); if (pid) return pid; } };
      console.log(one.pid, await child());`;
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pids = line.toString().trim().split(' ').map(Number);
    assert.equal(pids.length, 2);
    assert.ok(pids.every(isRunning));
    parent.kill(signal);
    await until('the end of both', async () => (pids.some(isRunning) ? undefined : true), { timeoutMs: 5000, everyMs: 5 });
  });
}
