import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { makeDirectory, makeHomeDirectory } from './make-directory.ts';

const advice = 'choose another';

test('a directory is made with those above it, and twice is once', async (t) => {
  const path = join(temporaryDirectory(t), 'a', 'b', 'c');
  await makeHomeDirectory(path);
  await makeHomeDirectory(path);
  assert.deepEqual(readdirSync(path), []);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700);
});

test('of several that make the same directory none fails', async (t) => {
  const path = join(temporaryDirectory(t), 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 8 }, () => makeDirectory(path, { advice })));
  assert.ok(statSync(path).isDirectory());
});

const impossible: Record<string, { given: (directory: string) => string; want: RegExp }> = {
  'below a file': {
    given: (directory) => {
      writeFileSync(join(directory, 'file'), '');
      return join(directory, 'file', 'a', 'b');
    },
    want: /^\S+\/file\/a\S* cannot be made a directory: ENOTDIR: .+; choose another\.$/,
  },
  'in the place of a file': {
    given: (directory) => {
      writeFileSync(join(directory, 'file'), '');
      return join(directory, 'file');
    },
    want: /^\S+\/file cannot be made a directory: EEXIST: .+; choose another\.$/,
  },
  'below a link that leads nowhere': {
    given: (directory) => {
      mkdirSync(join(directory, 'a'));
      symlinkSync(join(directory, 'nowhere'), join(directory, 'a', 'link'));
      return join(directory, 'a', 'link', 'b');
    },
    want: /^\S+\/a\/link cannot be made a directory: EEXIST: .+; choose another\.$/,
  },
  // Not even root may write there; elsewhere there is no /sys, and nobody may make it.
  'there already, and one may not write into it': {
    given: () => '/sys/kernel',
    want: /^Nothing can be put into \/sys\/kernel \(E\w+\), which belongs to user 0: let that user run this, make the directory yours \(chown -R\), or choose another\.$|^\/sys\S* cannot be made a directory: .+; choose another\.$/,
  },
  // Elsewhere there is no /proc, and nothing can be made in / either.
  'in a file system that lets nobody make any': {
    given: () => '/proc/terrain-test/a/b',
    want: /^\/proc\S* cannot be made a directory: .+; choose another\.$/,
  },
};
for (const [name, { given, want }] of Object.entries(impossible)) {
  test(`a directory that cannot be made is one sentence: ${name}`, { timeout: 10_000 }, async (t) => {
    await assert.rejects(makeDirectory(given(temporaryDirectory(t)), { advice }), {
      code: 'DirectoryImpossible',
      message: want,
    });
  });
}
