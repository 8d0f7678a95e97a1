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
    ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'kwok', 'upstream.json'],
    'and nothing else',
  );
});

test('another group is added to what is there, and older programs are replaced', async (t) => {
  const [built, directory] = [temporaryDirectory(t), temporaryDirectory(t)];
  writeFileSync(join(directory, 'etcd'), 'of another group');
  writeFileSync(join(directory, 'kwok'), 'old', { mode: 0o644 });
  const binaries = await ensureBinaries(['sim'], { cacheDirectory: built, env: fakeGo(built).env, freeBytes: async () => 1e12 });
  await writeReadyMade(directory, { groups: ['sim'], binaries, upstream: undefined });
  assert.deepEqual(readdirSync(directory).sort(), ['etcd', 'kwok']);
  assert.equal(readFileSync(join(directory, 'etcd'), 'utf8'), 'of another group');
  assert.ok(await ensureBinaries(['sim'], { binaries: directory }), 'it can be run');
});
