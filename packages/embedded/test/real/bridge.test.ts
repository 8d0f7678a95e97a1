import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureBinaries } from '@terrain/embedded';
import { until } from '#process/until.ts';
import { temporaryDirectory } from '#testing/temporary-directory.ts';

const bridge = 'tr-leaving';
const link = `/sys/class/net/${bridge}`;

test('the last one to leave a bridge removes it, also when somebody leaves or comes elsewhere at that moment', async (t) => {
  const program = (await ensureBinaries(['node-tools'])).path('cni-bridge');
  const directory = temporaryDirectory(t);
  const plugin = join(directory, 'bridge');
  writeFileSync(plugin, '#!/bin/sh\nexit 0\n');
  chmodSync(plugin, 0o755);
  const env = { ...process.env, TERRAIN_RUN: directory, TERRAIN_CNI_PLUGINS: directory };
  const config = JSON.stringify({ cniVersion: '1.0.0', type: 'bridge', bridge });
  t.after(() => existsSync(link) && execFileSync('ip', ['link', 'del', bridge]));
  execFileSync(program, { env: { ...env, CNI_COMMAND: 'ADD' }, input: config });
  assert.ok(existsSync(link), 'whoever comes finds a bridge');

  const other = spawn('flock', ['--shared', join(directory, 'bridge.lock'), 'sh', '-c', 'echo held; cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  const leaving = spawn(program, { env: { ...env, CNI_COMMAND: 'DEL' }, stdio: ['pipe', 'ignore', 'inherit'] });
  const left = once(leaving, 'exit');
  leaving.stdin.end(config);
  const isWaiting = async () => (hasWaiter(leaving.pid!) ? true : undefined);
  await Promise.race([until('the wait for the lock', isWaiting, { timeoutMs: 60_000 }), left]);
  assert.ok(existsSync(link));
  other.stdin.end();
  assert.deepEqual(await left, [0, null]);
  assert.equal(existsSync(link), false, 'the bridge was left behind');
});

/** The kernel lists those who wait with an arrow. */
function hasWaiter(pid: number): boolean {
  return new RegExp(`^\\d+: -> FLOCK .* ${pid} `, 'm').test(readFileSync('/proc/locks', 'utf8'));
}
