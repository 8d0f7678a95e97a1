import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Running, terrain, withHome } from './run-terrain.ts';

const kubectlEntry = join(import.meta.dirname, '../src/kubectl.ts');

/** A directory of programs, and a machine with nothing on the PATH and nothing in the cache. */
function emptyMachine(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'terrain-ready-made-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return {
    programs: join(directory, 'programs'),
    environment: { PATH: join(directory, 'nothing'), TERRAIN_CACHE: join(directory, 'cache') },
  };
}

test('what `build --output` made is all that a start without Go needs', async (t) => {
  const { programs, environment } = emptyMachine(t);
  const build = await terrain('build', '--output', programs);
  assert.equal(build.code, 0, build.stderr);
  assert.match(build.stderr, /✓ \S+ has core, sim; use it with `terrain up --binaries \S+`\.\n$/);
  await withHome(async (home) => {
    const only = ['--no-examples', '--no-operator', '--no-simulator'];
    const up = await new Running(['up', '--home', home, '--binaries', programs, '--detach', ...only], environment).finished;
    assert.equal(up.code, 0, up.stderr);
    const kubectl = spawnSync(process.execPath, [kubectlEntry, 'get', 'namespace', 'default', '-o', 'name'], {
      // kubectl keeps a cache of its own below HOME.
      env: { ...environment, HOME: home, TERRAIN_HOME: home },
      encoding: 'utf8',
    });
    assert.deepEqual([kubectl.stdout, kubectl.stderr, kubectl.status], ['namespace/default\n', '', 0]);
  });
});

test('a directory for programs that cannot be made is refused before anything is built', async (t) => {
  const { environment } = emptyMachine(t);
  const output = join(import.meta.filename, 'programs');
  const build = await new Running(['build', '--output', output], environment).finished;
  assert.equal(build.code, 1);
  assert.match(build.stderr, /^terrain: \S+ cannot be made a directory: .+; choose another with --output\.\n$/);
});
