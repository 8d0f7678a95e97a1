import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { FileLock, type LockOwner, lockOwner, successionOf } from './file-lock.ts';
import { processIdentity } from './process-facts.ts';

/** Of a process of this number that is no longer: the number is ours, the life another. */
const deadOwner = JSON.stringify({ pid: process.pid, identity: 'another life' });

test('a lock is held by one and then by the next', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'lock');
  const first = FileLock.tryAcquire(path);
  assert.ok(first instanceof FileLock);
  assert.equal(lockOwner(path)?.pid, process.pid);
  const second = FileLock.tryAcquire(path);
  assert.ok(!(second instanceof FileLock));
  assert.equal(second.pid, process.pid);
  first.release();
  assert.equal(lockOwner(path), undefined);
  assert.ok(FileLock.tryAcquire(path) instanceof FileLock);
  assert.deepEqual(readdirSync(directory), ['lock']);
});

test('a lock whose holder was killed is free', async (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  const script = `import { FileLock } from '${import.meta.resolve('./file-lock.ts')}'; FileLock.tryAcquire(process.env.LOCK); console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    env: { ...process.env, LOCK: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  assert.equal(lockOwner(path)?.pid, holder.pid);
  assert.ok(!(FileLock.tryAcquire(path) instanceof FileLock));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.ok(existsSync(path));
  assert.ok(FileLock.tryAcquire(path) instanceof FileLock);
});

test('a process that has only the number of the holder does not hold the lock', (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  writeFileSync(path, JSON.stringify({ pid: process.pid, identity: 'another life' }));
  assert.equal(lockOwner(path), undefined);
  assert.ok(FileLock.tryAcquire(path) instanceof FileLock);
});

test('a lock file that says nothing does not block for ever', (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  writeFileSync(path, '');
  assert.ok(FileLock.tryAcquire(path) instanceof FileLock);
});

test('of a lock that cannot be read no owner is known, and it cannot be taken', (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  mkdirSync(path);
  assert.equal(lockOwner(path), undefined);
  assert.throws(() => FileLock.tryAcquire(path), { code: 'EISDIR' });
});

test('a lock that somebody else took over, while its dead owner was being judged, is theirs', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'lock');
  writeFileSync(path, deadOwner);
  let faster: FileLock | LockOwner | undefined;
  const slower = FileLock.tryAcquire(path, (pid) => {
    faster ??= FileLock.tryAcquire(path);
    return processIdentity(pid);
  });
  assert.ok(faster instanceof FileLock);
  assert.deepEqual(slower, { pid: process.pid, identity: processIdentity(process.pid) });
  assert.deepEqual(readdirSync(directory), ['lock']);
});

test('a lock that was taken over and given back meanwhile is free', (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  writeFileSync(path, deadOwner);
  let faster: FileLock | LockOwner | undefined;
  const slower = FileLock.tryAcquire(path, (pid) => {
    if (faster === undefined) {
      faster = FileLock.tryAcquire(path);
      if (faster instanceof FileLock) faster.release();
    }
    return processIdentity(pid);
  });
  assert.ok(slower instanceof FileLock);
});

test('who died while taking over a lock does not block the next one', (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  writeFileSync(path, deadOwner);
  writeFileSync(successionOf(path, deadOwner), deadOwner);
  assert.ok(FileLock.tryAcquire(path) instanceof FileLock);
});

test('who is taking over a lock counts as its owner', (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  writeFileSync(path, deadOwner);
  const successor = FileLock.tryAcquire(successionOf(path, deadOwner));
  assert.ok(successor instanceof FileLock);
  assert.deepEqual(FileLock.tryAcquire(path), { pid: process.pid, identity: processIdentity(process.pid) });
  successor.release();
  assert.ok(FileLock.tryAcquire(path) instanceof FileLock);
});

test('a lock given back twice is given back once', (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  const first = FileLock.tryAcquire(path) as FileLock;
  first.release();
  assert.ok(FileLock.tryAcquire(path) instanceof FileLock);
  first.release();
  assert.equal(lockOwner(path)?.pid, process.pid);
});

/** From the moment it is told, takes what it can of `COUNT` locks, one in a millisecond so that all racers meet at each; says which, and holds them. */
const racer = `
import { FileLock } from '${import.meta.resolve('./file-lock.ts')}';
process.stdin.once('data', (start) => {
  const taken = [];
  for (let nth = 0; nth < Number(process.env.COUNT); nth++) {
    while (Date.now() < Number(start) + nth);
    if (FileLock.tryAcquire(process.env.DIRECTORY + '/' + nth) instanceof FileLock) taken.push(nth);
  }
  console.log(JSON.stringify(taken));
});
console.log('ready');`;

test('of many processes that find locks of a dead owner, one gets each', async (t) => {
  const directory = temporaryDirectory(t);
  const locks = Array.from({ length: 150 }, (_, nth) => nth);
  for (const nth of locks) writeFileSync(join(directory, String(nth)), deadOwner);
  const racers = Array.from({ length: 3 }, () => {
    const { stdin, stdout } = spawn(process.execPath, ['--input-type=module-typescript', '--eval', racer], {
      env: { ...process.env, DIRECTORY: directory, COUNT: String(locks.length) },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return { stdin, lines: createInterface(stdout)[Symbol.asyncIterator]() };
  });
  for (const { lines } of racers) assert.equal((await lines.next()).value, 'ready');
  const start = String(Date.now() + 50);
  for (const { stdin } of racers) stdin.write(start);
  const taken = await Promise.all(racers.map(async ({ lines }) => JSON.parse((await lines.next()).value ?? '') as number[]));
  for (const { stdin } of racers) stdin.end();
  assert.deepEqual(
    taken.flat().sort((a, b) => a - b),
    locks,
  );
  assert.deepEqual(readdirSync(directory).sort(), locks.map(String).sort());
});

test('who waits is told once for whom, and gets the lock when it is free', async (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  const first = FileLock.tryAcquire(path) as FileLock;
  const waitedFor: number[] = [];
  const second = FileLock.acquire(path, {
    onWait: ({ pid }) => {
      waitedFor.push(pid);
      first.release();
    },
  });
  assert.ok((await second) instanceof FileLock);
  assert.deepEqual(waitedFor, [process.pid]);
});

test('waiting can be given up', async (t) => {
  const path = join(temporaryDirectory(t), 'lock');
  FileLock.tryAcquire(path);
  const stop = new AbortController();
  await assert.rejects(FileLock.acquire(path, { signal: stop.signal, onWait: () => stop.abort() }), { name: 'AbortError' });
});

test('a process has an identity while it runs and none afterwards', async () => {
  const child = spawn('sleep', ['1000']);
  await once(child, 'spawn');
  const identity = processIdentity(child.pid!);
  assert.ok(identity !== undefined);
  assert.notEqual(identity, processIdentity(process.pid));
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(processIdentity(child.pid!), undefined);
  assert.equal(processIdentity(-1), undefined);
});
