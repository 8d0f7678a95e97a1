import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
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

const inPod = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' };
const hint = '(`npm run -s terrain -- kubeconfig` prints the file of the cluster that `npm start` runs)';

/** `DIR` stands for a directory of the test's own, which is HOME too. */
const noCredentials: Record<string, { given: Record<string, string>; want: string }> = {
  'in a pod of another cluster KUBECONFIG wins, and names a file that is not there': {
    given: { ...inPod, KUBECONFIG: 'DIR/absent' },
    want: `the kubeconfig DIR/absent, which KUBECONFIG names, cannot be used: DIR/absent does not exist; correct KUBECONFIG or the file ${hint}`,
  },
  'the file that TERRAIN_KUBECONFIG names is not there': {
    given: { TERRAIN_KUBECONFIG: 'DIR/absent', KUBECONFIG: 'DIR/broken' },
    want: `the kubeconfig DIR/absent, which TERRAIN_KUBECONFIG names, cannot be used: DIR/absent does not exist; correct TERRAIN_KUBECONFIG or the file ${hint}`,
  },
  'the file is no YAML, and nothing of it is shown': {
    given: { KUBECONFIG: 'DIR/broken' },
    want: `the kubeconfig DIR/broken, which KUBECONFIG names, cannot be used: missed comma between flow collection entries (2:9); correct KUBECONFIG or the file ${hint}`,
  },
  'the file names no cluster': {
    given: { KUBECONFIG: 'DIR/empty' },
    want: 'the kubeconfig DIR/empty has no usable current context; choose one with `kubectl config use-context NAME`',
  },
  'nothing names a cluster': {
    given: { HOME: 'DIR' },
    want: `there is no cluster to work on: this is no pod, KUBECONFIG is not set and DIR/.kube/config does not exist; set KUBECONFIG to a kubeconfig ${hint}`,
  },
};

describe('without credentials the program ends with a sentence and no stack trace', () => {
  for (const [name, { given, want }] of Object.entries(noCredentials)) {
    test(name, (t) => {
      const directory = mkdtempSync(join(tmpdir(), 'terrain-credentials-'));
      t.after(() => rmSync(directory, { recursive: true }));
      writeFileSync(join(directory, 'broken'), 'users: [a\n  secret: }\n');
      writeFileSync(join(directory, 'empty'), 'apiVersion: v1\nkind: Config\n');
      const placed = (text: string) => text.replaceAll('DIR', directory);
      const { KUBECONFIG: _, TERRAIN_KUBECONFIG: __, KUBERNETES_SERVICE_HOST: ___, ...rest } = process.env;
      const env = { ...rest, ...Object.fromEntries(Object.entries(given).map(([key, value]) => [key, placed(value)])) };
      const { status, stderr, stdout } = spawnSync(process.execPath, [entry], { env, encoding: 'utf8', timeout: 60_000 });
      assert.deepEqual({ status, stdout, stderr }, { status: 1, stdout: '', stderr: `terrain-operator: ${placed(want)}\n` });
    });
  }
});

test('whoever starts it gets what is meant for production, unless they ask for something else', () => {
  const tell = "process.on('exit', () => console.log(process.env.NODE_ENV))";
  const modeOf = (given: Record<string, string>): string => {
    const { NODE_ENV: _, ...env } = process.env;
    const args = [`--import=data:text/javascript,${encodeURIComponent(tell)}`, entry, '--fast'];
    return spawnSync(process.execPath, args, { env: { ...env, ...given }, encoding: 'utf8' }).stdout.trim();
  };
  assert.deepEqual([modeOf({}), modeOf({ NODE_ENV: 'development' })], ['production', 'development']);
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
