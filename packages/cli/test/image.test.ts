import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { annotations, emptyLedger, ledgerManifest, syncPolicyName, type VMDiskImage } from '@terrain/api';
import { at, Farm, failed, kubeconfigIn, ready, type Seed } from './image-farm.ts';
import { type Finished, Running } from './run-terrain.ts';

test('list shows the images of a namespace, of all, or of one workspace', async () => {
  await using farm = await Farm.start();
  await farm.add({ metadata: { labels: { 'pelotech.ot/workspace-id': 'lab-7' } }, status: ready });
  await farm.add({ metadata: { name: 'other' } });
  const lines = async (...args: string[]): Promise<string[]> =>
    (await farm.run('list', ...args)).stdout.trimEnd().split('\n').slice(1);
  assert.match((await lines('-n', 'farm')).join('\n'), /^debian +Succeeded .* machines can clone it\nother +- /);
  assert.match((await lines('-A')).join('\n'), /^farm +debian .*\nfarm +other /);
  assert.match((await lines('--workspace', 'lab-7')).join('\n'), /^farm +debian [^\n]*$/);
  assert.deepEqual(await farm.run('list'), { code: 0, stdout: '', stderr: 'There are no disk images in namespace default.\n' });
});

test('list for programs gives the objects themselves', async () => {
  await using farm = await Farm.start();
  await farm.add({ status: ready });
  const { stdout } = await farm.run('list', '-A', '-o', 'json');
  const { items } = JSON.parse(stdout) as { items: VMDiskImage[] };
  assert.deepEqual(
    [items.length, items[0]?.status?.phase, Object.hasOwn(items[0]?.metadata ?? {}, 'managedFields')],
    [1, 'Succeeded', false],
  );
  assert.match(
    (await farm.run('list', '-A', '-o', 'yaml')).stdout,
    /^apiVersion: v1\nkind: List\nitems:\n {2}- apiVersion: pelotech\.ot/,
  );
});

test('queue shows slots, what runs and who is next, also while there is no ledger', async () => {
  await using farm = await Farm.start();
  await farm.add({ status: { ...ready, phase: 'Syncing', artifact: undefined, conditions: [], progress: '50%' } });
  await farm.add({ metadata: { name: 'next' } });
  assert.match(
    (await farm.run('queue')).stdout,
    /^Slots: unknown \(there is no ConfigMap sync-operator\/sync-operator-slots yet/,
  );
  const uid = (await farm.images.get(at)).metadata.uid ?? '';
  const entry = { image: 'farm/debian', attempt: 1, seq: 1, since: '2026-01-01T00:00:00Z', state: 'open' as const };
  farm.fake.seed(ledgerManifest({ ...emptyLedger, entries: new Map([[uid, entry]]) }));
  const { code, stdout } = await farm.run('queue');
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Slots: 1 of 4 in use\nDisks: 10 GiB under way, 10 GiB waiting\nPOSITION .*\nactive +farm\/debian +10Gi .*\n1 +farm\/next +10Gi +starts any moment +- +-\n$/,
  );
  const json = JSON.parse((await farm.run('queue', '-n', 'elsewhere', '-o', 'json')).stdout) as Record<string, unknown>;
  assert.deepEqual([json.slots, json.active, json.waiting], [{ used: 1, limit: 4 }, [], []]);
});

test('policy shows what is in force, not what was asked for', async () => {
  await using farm = await Farm.start();
  const unknown = await farm.run('policy');
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /^terrain: what is in force is not known: there is no ConfigMap .*\n$/);
  const metadata = { namespace: 'sync-operator', name: syncPolicyName };
  const { resourceVersion } = farm.fake.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { concurrency: 'lots' },
  } as Seed).metadata;
  const policy = new Map([
    ['concurrency', '4'],
    ['retryLimit', '2'],
  ]);
  farm.fake.seed(ledgerManifest({ ...emptyLedger, policy, policyResourceVersion: resourceVersion }));
  const { code, stdout } = await farm.run('policy');
  assert.equal(code, 0);
  assert.match(stdout, /^concurrency +"4" +last good value\nretryLimit +"2" +default\n! .* says "lots" for concurrency/m);
});

test('wait returns 0 when the image is ready, and says what it waits for meanwhile', async () => {
  await using farm = await Farm.start();
  await farm.add();
  const waiting = farm.start('wait', 'debian', '-n', 'farm');
  await waiting.printed('farm/debian: the operator has not seen it yet');
  await farm.report({ observedGeneration: 1, phase: 'Syncing', message: 'downloads', progress: '7%' });
  await waiting.printed('farm/debian: downloads, 7%');
  await farm.report(ready);
  const { code, stdout, stderr } = await waiting.finished;
  assert.deepEqual([code, stdout], [0, '']);
  assert.match(stderr, /farm\/debian: ready\n$/);
});

test('wait is never satisfied by the artifact of a former source', async () => {
  await using farm = await Farm.start();
  await farm.add({ status: { ...ready, artifact: { ...ready.artifact!, sourceHash: 'former' } } });
  const { code, stderr } = await farm.run('wait', 'debian', '-n', 'farm', '--timeout', '500ms');
  assert.equal(code, 3);
  assert.match(
    stderr,
    /terrain: farm\/debian is not ready after 500 ms: its snapshot is of a former source; waits for the operator to begin with the new one\n$/,
  );
});

test('wait follows every image to its end and fails with the words of those given up', async () => {
  await using farm = await Farm.start();
  await farm.add({ status: failed });
  await farm.add({ metadata: { name: 'late' } });
  const { code, stderr } = await farm.run('wait', 'debian', 'late', '-n', 'farm', '--timeout', '500ms');
  assert.equal(code, 1);
  assert.match(stderr, /terrain: farm\/debian: given up: the server says 404\nfarm\/late is not ready after 500 ms: [^\n]*\n$/);
});

test('wait ends when the image is deleted under it', async () => {
  await using farm = await Farm.start();
  await farm.add();
  const waiting = farm.start('wait', 'debian', '-n', 'farm');
  await waiting.printed('has not seen it yet');
  await farm.images.delete(at);
  const { code, stderr } = await waiting.finished;
  assert.equal(code, 1);
  assert.match(stderr, /terrain: there is no disk image farm\/debian;/);
});

test('wait that is interrupted says so', async () => {
  await using farm = await Farm.start();
  await farm.add();
  const waiting = farm.start('wait', 'debian', '-n', 'farm');
  await waiting.printed('has not seen it yet');
  waiting.child.kill('SIGINT');
  const { code, stderr } = await waiting.finished;
  assert.equal(code, 130);
  assert.match(stderr, /terrain: interrupted\n$/);
});

test('sync asks for another try and takes a cancellation back; a wait that follows is not ended by the old failure', async () => {
  await using farm = await Farm.start();
  await farm.add({ metadata: { annotations: { [annotations.cancel]: 'yes' } }, status: failed });
  const { code, stdout } = await farm.run('sync', 'debian', '-n', 'farm');
  assert.equal(code, 0);
  assert.match(stdout, /^Asked for another try of farm\/debian;/);
  const given = (await farm.images.get(at)).metadata.annotations ?? {};
  assert.deepEqual(Object.keys(given), [annotations.retry]);
  assert.ok(Date.parse(given[annotations.retry] ?? '') > 0);
  const waiting = farm.start('wait', 'debian', '-n', 'farm');
  await waiting.printed('has not seen its latest change yet');
  await farm.report(ready);
  assert.equal((await waiting.finished).code, 0);
});

test('sync writes nothing for an image that is ready', async () => {
  await using farm = await Farm.start();
  await farm.add({ status: ready });
  const before = farm.fake.revision;
  assert.match((await farm.run('sync', 'debian', '-n', 'farm')).stdout, /^farm\/debian is ready already/);
  assert.equal(farm.fake.revision, before);
});

test('cancel marks an image that is under way, and refuses one that is at rest', async () => {
  await using farm = await Farm.start();
  await farm.add();
  assert.equal((await farm.run('cancel', 'debian', '-n', 'farm')).code, 0);
  assert.ok((await farm.images.get(at)).metadata.annotations?.[annotations.cancel]);
  await farm.add({ metadata: { name: 'done' }, status: ready });
  await farm.add({ metadata: { name: 'lost' }, status: failed });
  for (const name of ['done', 'lost']) {
    assert.equal((await farm.run('cancel', name, '-n', 'farm')).code, 1);
    assert.equal((await farm.images.get({ ...at, name })).metadata.annotations, undefined);
  }
});

test('a name that is not there is told in one sentence by every command that takes one', async () => {
  await using farm = await Farm.start();
  for (const command of ['wait', 'sync', 'cancel']) {
    assert.deepEqual(await farm.run(command, 'nobody'), {
      code: 1,
      stdout: '',
      stderr: 'terrain: there is no disk image default/nobody; `terrain image list -A` shows those there are.\n',
    });
  }
});

test('a cluster without Terrain, one that refuses, and one that is not there are told in one sentence each', async () => {
  await using farm = await Farm.start(false);
  const { server } = farm.fake.credentials;
  assert.deepEqual(await farm.run('list'), {
    code: 1,
    stdout: '',
    stderr: `terrain: ${server} does not have Terrain's kinds; install Terrain there first.\n`,
  });

  const words = 'vmdiskimages.pelotech.ot is forbidden: User "eve" cannot list resource "vmdiskimages"';
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message: words };
  const refusing = createServer((_, response) => {
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(status));
  });
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const { port } = refusing.address() as AddressInfo;
  const directory = mkdtempSync(join(tmpdir(), 'terrain-image-'));
  try {
    const file = kubeconfigIn(directory, `http://127.0.0.1:${port}`);
    const list = (): Promise<Finished> => new Running(['image', 'list', '--kubeconfig', file]).finished;
    assert.deepEqual(await list(), { code: 1, stdout: '', stderr: `terrain: not allowed: ${words}\n` });
    refusing.closeAllConnections();
    await new Promise((resolve) => refusing.close(resolve));
    const silent = await list();
    assert.equal(silent.code, 1);
    assert.match(
      silent.stderr,
      new RegExp(`^terrain: http://127\\.0\\.0\\.1:${port} does not answer \\(.*\\); check the kubeconfig .*\\n$`),
    );
  } finally {
    refusing.close();
    rmSync(directory, { recursive: true });
  }
});

test('without any kubeconfig the ways to name a cluster are told; one that is not there is named', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'terrain-image-'));
  try {
    const nowhere = { HOME: directory, KUBECONFIG: '', KUBERNETES_SERVICE_HOST: '' };
    assert.deepEqual(await new Running(['image', 'list', '--home', join(directory, 'h')], nowhere).finished, {
      code: 1,
      stdout: '',
      stderr: 'terrain: there is no cluster to ask: give --kubeconfig FILE, set KUBECONFIG, or start one with `terrain up`.\n',
    });
    const missing = join(directory, 'missing');
    const { code, stderr } = await new Running(['image', 'list'], { KUBECONFIG: missing }).finished;
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^terrain: the kubeconfig ${missing} cannot be used: .*\\n$`));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
