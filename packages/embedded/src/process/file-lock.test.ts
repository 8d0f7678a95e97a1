import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { FileLock, lockOwner } from './file-lock.ts';
import { processIdentity } from './process-facts.ts';

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
