import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clusterCredentials } from '@terrain/embedded';
import { Connection, type KubeObject } from '@terrain/runtime';
import { until } from '#process/until.ts';
import { type Answer, apply, patience, type Shell, shellOf } from './real-cluster.ts';
import { realNodeTurn } from './turn.ts';

const program = join(import.meta.dirname, '../../../cli/src/terrain.ts');
const timeout = 1_500_000;

/** The command as a person types it. */
function terrain(...args: readonly string[]): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { timeout: 720_000 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
    );
  });
}

interface Image extends KubeObject {
  readonly spec: { readonly url?: string };
  readonly status?: {
    readonly phase?: string;
    readonly attempt?: { readonly number: number };
    readonly artifact?: { readonly dataVolume?: string; readonly volumeSnapshot?: string };
  };
}

async function list<T extends KubeObject>(shell: Shell, kind: string): Promise<readonly T[]> {
  const { stdout } = await shell.kubectl('get', kind, '-A', '-o', 'json');
  return (JSON.parse(stdout) as { items: readonly T[] }).items;
}

const artifacts = (images: readonly Image[]) =>
  images.map(({ metadata, status }) => [metadata.namespace, metadata.name, status?.artifact, status?.attempt?.number]).sort();

const shop = ['-n', 'workspace-shop-lab', 'deploy/shop'] as const;

test('one command brings the examples up for real; stopped and started again they are as they were; without --real the home is refused', {
  timeout,
}, async () => {
  await realNodeTurn();
  const directory = mkdtempSync(join(tmpdir(), 'terrain-up-'));
  const home = join(directory, 'home');
  const up = () => terrain('up', '--real', '--home', home, '--detach');
  try {
    const first = await up();
    assert.equal(first.code, 0, first.stderr);
    const shell = await shellOf(join(home, 'kubeconfig'));

    const images = await list<Image>(shell, 'vmdi');
    assert.ok(images.length >= 12, `${images.length} images`);
    for (const { metadata, spec, status } of images) {
      assert.equal(status?.phase, 'Succeeded', `${metadata.name}`);
      assert.match(spec.url ?? 'blank', /^(blank|(http|docker):\/\/[^/]+\.sources[:/].+)$/);
    }
    for (const kind of ['datavolumes', 'volumesnapshots', 'persistentvolumeclaims', 'pods']) {
      const made = await list<KubeObject>(shell, kind);
      assert.ok(made.length > 0, kind);
      const simulated = made.filter(({ metadata }) => metadata.labels?.['terrain.dev/simulated'] !== undefined);
      assert.deepEqual(
        simulated.map(({ metadata }) => metadata.name),
        [],
        `${kind} are real`,
      );
    }
    const said = await shell.kubectl('logs', ...shop);
    assert.match(said.stdout, /^A stand-in for registry\.example\.com\/shop\/web:1\.4/);
    assert.equal((await shell.kubectl('exec', ...shop, '--', 'sh', '-c', 'echo kept > /var/lib/shop/word && sync')).code, 0);
    await toldOfMissingImage(home, shell);

    const down = await terrain('down', '--home', home);
    assert.equal(down.code, 0, down.stderr);
    const simulated = await terrain('up', '--home', home, '--exit-when-ready');
    assert.equal(simulated.code, 1);
    assert.match(simulated.stderr, /holds disks that CDI really imported.*Start it with --real, choose another home/);

    const second = await up();
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual(artifacts(await list<Image>(shell, 'vmdi')), artifacts(images), 'nothing is downloaded again');
    const kept = async () => {
      const { code, stdout } = await shell.kubectl('exec', ...shop, '--', 'cat', '/var/lib/shop/word');
      return code === 0 ? stdout : undefined;
    };
    assert.equal(await until('the container of the lab', kept, patience), 'kept\n');
  } finally {
    await terrain('down', '--home', home);
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});

/** No registry is reachable, so a container that nobody made here cannot start; its lab says which image is missing. */
async function toldOfMissingImage(home: string, shell: Shell): Promise<void> {
  await using connection = new Connection(await clusterCredentials(home));
  const image = 'localhost/nobody/made-this:1';
  const workspace = {
    apiVersion: 'pelotech.ot/v1alpha1',
    kind: 'Workspace',
    metadata: { name: 'lacks-an-image' },
    spec: { containerClusters: [{ name: 'web', containers: [{ name: 'main', image }] }] },
  };
  await apply({ connection: () => connection }, workspace);
  const message = async () => {
    const { stdout } = await shell.kubectl('get', 'workspace', 'lacks-an-image', '-o', 'jsonpath={.status.message}');
    return /container main: ImagePullBackOff/.test(stdout) ? stdout : undefined;
  };
  const words = await until('the word of the missing image', message, patience);
  assert.match(words, /image localhost\/nobody\/made-this:1 is not on the node and could not be pulled/);
  assert.equal((await shell.kubectl('delete', 'workspace', 'lacks-an-image', '--timeout=120s')).code, 0);
}
