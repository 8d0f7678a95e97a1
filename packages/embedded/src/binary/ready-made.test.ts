import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeGo } from '#testing/fake-go.ts';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { ensureUpstream } from '#upstream/ensure.ts';
import { ensureBinaries } from './ensure.ts';
import { writeReadyMade } from './ready-made.ts';

const upstream = { definitions: [], nodeStages: [], nodeRole: { apiVersion: 'v1', kind: 'Role', metadata: { name: 'x' } } };

test('what was written is all that a start needs, with no Go and an empty cache', async (t) => {
  const [built, empty, directory] = [temporaryDirectory(t), temporaryDirectory(t), join(temporaryDirectory(t), 'new', 'bin')];
  const groups = ['core', 'sim'] as const;
  const binaries = await ensureBinaries(groups, {
    cacheDirectory: built,
    env: fakeGo(built).env,
    freeBytes: async () => 1e12,
  });
  await writeReadyMade(directory, { groups, binaries, upstream });
  const without = { binaries: directory, cacheDirectory: empty, env: { PATH: '' } };
  const found = await ensureBinaries(groups, without);
  assert.equal(found.path('kubectl'), join(directory, 'kubectl'));
  assert.deepEqual(await ensureUpstream(without), upstream);
  assert.deepEqual(
    readdirSync(directory).sort(),
    [
      'core.built-from',
      'etcd',
      'kube-apiserver',
      'kube-controller-manager',
      'kube-scheduler',
      'kubectl',
      'kwok',
      'sim.built-from',
      'upstream.json',
    ],
    'and nothing else',
  );
});

test('another group is added to what is there, and older programs are replaced', async (t) => {
  const [built, directory] = [temporaryDirectory(t), temporaryDirectory(t)];
  writeFileSync(join(directory, 'etcd'), 'of another group');
  writeFileSync(join(directory, 'kwok'), 'old', { mode: 0o644 });
  const binaries = await ensureBinaries(['sim'], { cacheDirectory: built, env: fakeGo(built).env, freeBytes: async () => 1e12 });
  await writeReadyMade(directory, { groups: ['sim'], binaries, upstream: undefined });
  assert.deepEqual(readdirSync(directory).sort(), ['etcd', 'kwok', 'sim.built-from']);
  assert.equal(readFileSync(join(directory, 'etcd'), 'utf8'), 'of another group');
  assert.ok(await ensureBinaries(['sim'], { binaries: directory }), 'it can be run');
});

test('programs that were built for other versions are refused until they are made again', async (t) => {
  const [built, directory] = [temporaryDirectory(t), temporaryDirectory(t)];
  const binaries = await ensureBinaries(['sim'], { cacheDirectory: built, env: fakeGo(built).env, freeBytes: async () => 1e12 });
  await writeReadyMade(directory, { groups: ['sim'], binaries, upstream: undefined });
  writeFileSync(join(directory, 'sim.built-from'), 'sim-0123456789abcdef\n');
  await assert.rejects(ensureBinaries(['sim'], { binaries: directory }), {
    code: 'BinaryMissing',
    message: `The programs of sim in ${directory} were built for other versions than this checkout uses, or for another platform: run \`terrain build sim --output ${directory}\` again where Go is, or leave out --binaries to have them built.`,
  });
  await writeReadyMade(directory, { groups: ['sim'], binaries, upstream: undefined });
  assert.ok(await ensureBinaries(['sim'], { binaries: directory }));
});
