import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { cacheKey, defaultCacheDirectory, entryName, findDamage, touchAndPrune, writeManifest } from './cache.ts';
import { groups } from './group.ts';

test('the cache is where the user keeps caches, unless told otherwise', () => {
  assert.equal(defaultCacheDirectory({ TERRAIN_CACHE: '/a', XDG_CACHE_HOME: '/b' }), '/a');
  assert.equal(defaultCacheDirectory({ XDG_CACHE_HOME: '/b' }), '/b/terrain');
  assert.match(defaultCacheDirectory({}), /\.cache\/terrain$/);
});

test('the key changes with sources, flags and platform, and with nothing else', () => {
  const key = cacheKey(groups.core, ['a', 'b'], 'linux/x64');
  assert.match(key, /^[0-9a-f]{16}$/);
  assert.equal(cacheKey({ ...groups.core, title: 'other words', coldBuildMs: 1 }, ['a', 'b'], 'linux/x64'), key);
  const others = [
    cacheKey(groups.core, ['a', 'b'], 'linux/arm64'),
    cacheKey(groups.core, ['a', 'c'], 'linux/x64'),
    cacheKey({ ...groups.core, tags: [] }, ['a', 'b'], 'linux/x64'),
    cacheKey({ ...groups.core, variables: [] }, ['a', 'b'], 'linux/x64'),
    cacheKey({ ...groups.core, programs: {} }, ['a', 'b'], 'linux/x64'),
  ];
  assert.equal(new Set([key, ...others]).size, 6);
});

test('a program of our own beside the pins is part of what identifies a build', async (t) => {
  const root = temporaryDirectory(t);
  mkdirSync(join(root, 'kwok', 'ours'), { recursive: true });
  for (const name of ['go.mod', 'go.sum']) writeFileSync(join(root, 'kwok', name), name);
  const names = [await entryName(groups.sim, root)];
  for (const name of ['ours/main.go', 'ours/go.mod']) {
    writeFileSync(join(root, 'kwok', name), name);
    names.push(await entryName(groups.sim, root));
  }
  writeFileSync(join(root, 'kwok', 'README.md'), 'words');
  assert.equal(await entryName(groups.sim, root), names[2]);
  assert.equal(new Set(names).size, 3);
});

test('a byte changed in the middle is found by the full check only', async (t) => {
  const directory = temporaryDirectory(t);
  const kwok = join(directory, 'kwok');
  writeFileSync(kwok, Buffer.alloc(300_000, 1), { mode: 0o755 });
  await writeManifest(directory, groups.sim, '1.26.8');
  assert.equal(await findDamage(directory, groups.sim, 'full'), undefined);
  const bytes = readFileSync(kwok);
  bytes[150_000] = 2;
  writeFileSync(kwok, bytes);
  assert.equal(await findDamage(directory, groups.sim, 'quick'), undefined);
  assert.equal(await findDamage(directory, groups.sim, 'full'), 'kwok was changed after it was built');
});

test('entries that nobody used for a month are removed, of this group only', async (t) => {
  const root = temporaryDirectory(t);
  const now = new Date('2026-06-01T00:00:00Z');
  const entries = {
    'sim-0000000000000000': 1,
    'sim-1111111111111111': 29,
    'sim-2222222222222222': 31,
    'core-3333333333333333': 31,
    other: 31,
  };
  for (const [name, days] of Object.entries(entries)) {
    mkdirSync(join(root, name));
    const used = new Date(now.getTime() - days * 24 * 3_600_000);
    utimesSync(join(root, name), used, used);
  }
  await touchAndPrune(root, 'sim-0000000000000000', groups.sim, now);
  assert.deepEqual(readdirSync(root).sort(), ['core-3333333333333333', 'other', 'sim-0000000000000000', 'sim-1111111111111111']);
});
