import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeGo } from '#testing/fake-go.ts';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { compareVersions, findGo, findOnPath, goDirective } from './go-toolchain.ts';

const comparisons: Record<string, { a: string; b: string; want: -1 | 0 | 1 }> = {
  'a later patch is newer': { a: '1.26.8', b: '1.26.0', want: 1 },
  'numbers are compared as numbers': { a: '1.9', b: '1.26', want: -1 },
  'a missing patch is zero': { a: '1.26', b: '1.26.0', want: 0 },
  'a release candidate comes before its release': { a: '1.26rc1', b: '1.26.0', want: -1 },
  'experiments named after the version do not matter': { a: '1.26.8 X:nodwarf5', b: '1.26.8', want: 0 },
  'something that is no version is older than all': { a: 'devel', b: '1.0', want: -1 },
};
for (const [name, { a, b, want }] of Object.entries(comparisons)) {
  test(`Go versions: ${name}`, () => assert.equal(Math.sign(compareVersions(a, b)), want));
}

test('the needed version is what go.mod says', () => {
  assert.equal(goDirective('module x\n\ngo 1.26.0\n'), '1.26.0');
  assert.throws(() => goDirective('module x\n'), /no go directive/);
});

test('a program is found where the PATH says first, and only if it can be run', (t) => {
  const directory = temporaryDirectory(t);
  for (const name of ['a', 'b', 'c']) mkdirSync(join(directory, name));
  writeFileSync(join(directory, 'a', 'tool'), '', { mode: 0o644 });
  mkdirSync(join(directory, 'b', 'tool'));
  writeFileSync(join(directory, 'c', 'tool'), '', { mode: 0o755 });
  const path = ['', ...['missing', 'a', 'b', 'c'].map((name) => join(directory, name))].join(':');
  assert.equal(findOnPath('tool', path), join(directory, 'c', 'tool'));
  assert.equal(findOnPath('other', path), undefined);
});

test('Go is asked for its version and its caches', async (t) => {
  const directory = temporaryDirectory(t);
  const go = fakeGo(directory, { version: '1.30.1' });
  assert.deepEqual(await findGo(go.env), {
    program: join(directory, 'go-bin', 'go'),
    version: '1.30.1',
    buildCache: directory,
    moduleCache: directory,
  });
});
