import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('./main.mjs', import.meta.url));

test('settings that make no sense end the program with a sentence and no stack trace', () => {
  const env = { ...process.env, TERRAIN_WORKERS: 'many' };
  const { status, stderr, stdout } = spawnSync(process.execPath, [entry, '--fast'], { env, encoding: 'utf8' });
  assert.deepEqual(
    { status, stdout, stderr },
    {
      status: 2,
      stdout: '',
      stderr:
        'terrain-operator: there is no flag --fast; there are --no-leader-election, --pod-range=CIDR, --service-range=CIDR and --dns-server=ADDRESS; TERRAIN_WORKERS is "many", expected a whole number from 1 to 256\n',
    },
  );
});

test('in a pod of another cluster the operator works on the one that KUBECONFIG names', () => {
  const KUBECONFIG = '/nonexistent/kubeconfig';
  const env = { ...process.env, KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1', KUBECONFIG };
  const { status, stderr } = spawnSync(process.execPath, [entry], { env, encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 1);
  assert.match(stderr, /\/nonexistent\/kubeconfig/);
});

test('a second start loads neither the type stripper nor what only fetch needs', (t) => {
  const TMPDIR = mkdtempSync(join(tmpdir(), 'terrain-start-'));
  t.after(() => rmSync(TMPDIR, { recursive: true }));
  const tellModules = "process.on('exit', () => console.log(JSON.stringify(process.moduleLoadList)))";
  const start = (): string[] => {
    const args = [`--import=data:text/javascript,${encodeURIComponent(tellModules)}`, entry, '--fast'];
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    return JSON.parse(spawnSync(process.execPath, args, { env: { ...env, TMPDIR }, encoding: 'utf8' }).stdout) as string[];
  };
  start();
  const heavy = start().filter((name) => /deps\/(amaro|undici)/.test(name));
  assert.deepEqual(heavy, []);
});
