import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { clusterStatus, ensureBinaries, groups, type ProgressEvent, startCluster, stopCluster } from '@terrain/embedded';
import { isRunning } from '#process/process-facts.ts';
import { until } from '#process/until.ts';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { homeDirectory } from './home-directory.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

/** One home for all; each test leaves it stopped. */
const { home, remove } = homeDirectory();
after(remove);

/** A copy of the stopped home, to damage. */
function copyOfHome(t: TestContext): string {
  const copy = homeDirectory();
  t.after(copy.remove);
  cpSync(home, copy.home, { recursive: true, filter: (path) => !statSync(path).isSocket() });
  return copy.home;
}

interface OtherProcess {
  readonly child: ChildProcess;
  readonly pids: readonly number[];
}

/** Runs a cluster in a process of its own, as `terrain up` does, with one object in it. */
async function startElsewhere(environment: NodeJS.ProcessEnv = {}): Promise<OtherProcess> {
  const script = `
    import { startCluster } from '@terrain/embedded';
    const cluster = await startCluster({ home: process.env.HOME_UNDER_TEST, nodes: 0 });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'kept-', labels: { made: 'elsewhere' } } };
    await cluster.connection().request({ method: 'POST', path: '${configMaps}', body });
    process.once('SIGTERM', () => cluster.stop());
    console.log(JSON.stringify(cluster.processes().map(({ pid }) => pid)));`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...environment, HOME_UNDER_TEST: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, pids: JSON.parse(line.toString()) as number[] };
}

test('a proxy of the environment is not asked about this machine, also without NO_PROXY', { timeout: 120_000 }, async () => {
  const dead = 'http://127.0.0.1:9';
  const environment = { HTTPS_PROXY: dead, HTTP_PROXY: dead, https_proxy: dead, http_proxy: dead, NO_PROXY: '', no_proxy: '' };
  // The last one makes Node itself use them.
  const { child, pids } = await startElsewhere({ ...environment, NODE_USE_ENV_PROXY: '1' });
  assert.equal(pids.length, 4);
  child.kill('SIGTERM');
  await once(child, 'exit');
});

test('stopped from another process: it ends by itself, and stopping again is fine', { timeout: 120_000 }, async () => {
  const { child, pids } = await startElsewhere();
  assert.equal(pids.length, 4);
  assert.deepEqual(await clusterStatus(home).then(({ state, pid }) => ({ state, pid })), { state: 'running', pid: child.pid });
  const exited = once(child, 'exit');
  assert.deepEqual(await stopCluster(home), { pid: child.pid, wasKilled: false, dataAside: undefined });
  assert.deepEqual(await exited, [0, null]);
  assert.deepEqual(pids.filter(isRunning), []);
  assert.deepEqual(await stopCluster(home), { pid: undefined, wasKilled: false, dataAside: undefined });
});

test('stopped while it hangs: it is killed at the deadline, with all its processes', { timeout: 120_000 }, async () => {
  const { child, pids } = await startElsewhere();
  child.kill('SIGSTOP');
  assert.deepEqual(await stopCluster(home, { deadlineMs: 100 }), { pid: child.pid, wasKilled: true, dataAside: undefined });
  await until('the end of all processes', async () => (pids.some(isRunning) ? undefined : true), { timeoutMs: 5000 });
});

test('killed: nothing is left running, and the next start finds the data', { timeout: 120_000 }, async () => {
  const { child, pids } = await startElsewhere();
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until('the end of all processes', async () => (pids.some(isRunning) ? undefined : true), { timeoutMs: 5000 });
  assert.equal((await clusterStatus(home)).state, 'stopped');

  const cluster = await startCluster({ home, nodes: 0 });
  const { items } = await cluster
    .connection()
    .request<{ items: unknown[] }>({ method: 'GET', path: configMaps, query: { labelSelector: 'made=elsewhere' } });
  assert.equal(items.length, 4, 'one object of each of the four lives before');
  await cluster.stop();
});

test('interrupted while starting: nothing is left running and the home is free', { timeout: 120_000 }, async () => {
  const stop = new AbortController();
  const starting = startCluster({
    home,
    nodes: 0,
    signal: stop.signal,
    progress: ({ type, task }) => {
      if (type === 'finished' && task === 'control-plane') stop.abort();
    },
  });
  await assert.rejects(starting, { name: 'AbortError' });
  assert.equal((await clusterStatus(home)).state, 'stopped');
  assert.deepEqual(
    readdirSync('/proc').filter((pid) => commandLine(pid).includes(home)),
    [],
  );
});

test('a program that fails while starting ends the start at once, with its last words', { timeout: 60_000 }, async (t) => {
  const binaries = temporaryDirectory(t);
  const core = await ensureBinaries(['core']);
  for (const name of Object.values(groups.core.programs)) symlinkSync(core.path(name), join(binaries, name));
  writeFileSync(join(binaries, 'kwok'), '#!/bin/sh\necho this kwok is broken\nexit 1\n', { mode: 0o755 });
  await assert.rejects(startCluster({ home, nodes: 1, binaries }), {
    code: 'ComponentFailed',
    message: /^kwok ended instead of becoming ready; the last lines of .+kwok\.log are:\nthis kwok is broken$/,
  });
  assert.equal((await clusterStatus(home)).state, 'stopped');
});

test('damaged data: said in one sentence, set aside on request, never deleted', { timeout: 180_000 }, async (t) => {
  const copy = copyOfHome(t);
  const wal = join(copy, 'etcd/data/member/wal');
  const file = join(wal, readdirSync(wal).find((name) => name.endsWith('.wal'))!);
  const bytes = readFileSync(file);
  bytes[insideARecord(bytes)]! ^= 0xff;
  writeFileSync(file, bytes);

  await assert.rejects(startCluster({ home: copy, nodes: 0 }), {
    code: 'DataDamaged',
    message: new RegExp(`^etcd cannot read the data in ${copy}/etcd/data \\(.*crc mismatch.*\\)\\. Nothing was deleted\\.`),
  });
  assert.equal((await clusterStatus(copy)).state, 'stopped');

  mkdirSync(join(copy, 'volumes'));
  const { dataAside } = await stopCluster(copy, { wipe: true });
  assert.ok(dataAside?.startsWith(`${copy}/etcd/data.`));
  assert.equal(
    readFileSync(file.replace(`${copy}/etcd/data`, dataAside!)).compare(bytes),
    0,
    'every byte of the damaged file is kept',
  );
  assert.deepEqual([existsSync(join(copy, 'volumes')), existsSync(join(dataAside!, 'volumes'))], [false, true], 'so are volumes');

  const notes: string[] = [];
  const progress = (event: ProgressEvent) => event.type === 'note' && notes.push(event.message);
  const fresh = await startCluster({ home: copy, nodes: 0, progress });
  await fresh.stop();
  assert.deepEqual(notes, [`There is no data in ${copy}/etcd/data; starting with an empty cluster.`]);
});

/** Where etcd's log holds data under a checksum: each record is framed by its length, and its data come last. */
function insideARecord(log: Buffer): number {
  for (let at = 0; at + 8 <= log.length; ) {
    const frame = log.readBigInt64LE(at);
    const size = Number(frame & 0x00ff_ffff_ffff_ffffn);
    if (size > 1000) return at + 8 + size - 10;
    at += 8 + size + (frame < 0n ? Number((frame >> 56n) & 0x7n) : 0);
  }
  return assert.fail('the log has no record of a thousand bytes');
}

test('a database that lost its log: etcd waits for ever, and that too becomes a sentence', { timeout: 180_000 }, async (t) => {
  const copy = copyOfHome(t);
  rmSync(join(copy, 'etcd/data/member/wal'), { recursive: true });
  await assert.rejects(startCluster({ home: copy, nodes: 0 }), {
    code: 'DataDamaged',
    message: /^etcd runs but accepts no requests/,
  });
  assert.equal((await clusterStatus(copy)).state, 'stopped');
});

test('a home of a newer version: refused, and not a byte is changed', async (t) => {
  const copy = copyOfHome(t);
  const newer = `${JSON.stringify({ format: 99, kubernetes: '1.36.3' })}\n`;
  writeFileSync(join(copy, 'home.json'), newer);
  const before = readdirSync(copy, { recursive: true });
  await assert.rejects(startCluster({ home: copy, nodes: 0 }), {
    code: 'HomeTooNew',
    message: /was made by a newer version of Terrain \(format 99, this one knows 1\)/,
  });
  assert.equal(readFileSync(join(copy, 'home.json'), 'utf8'), newer);
  assert.deepEqual(readdirSync(copy, { recursive: true }), before);
});

test('ready-made programs that are not there: refused before anything starts', async (t) => {
  const copy = copyOfHome(t);
  await assert.rejects(startCluster({ home: copy, nodes: 0, binaries: import.meta.dirname }), { code: 'BinaryMissing' });
  assert.equal((await clusterStatus(copy)).pid, undefined);
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
