import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

/** Runs a file of tests as `npm test` does, and returns what is printed, without the time it took. */
async function report(t: TestContext, source: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'terrain-reporter-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'given.test.mjs');
  writeFileSync(file, `import { describe, test } from 'node:test';\n${source}\n`);
  const reporter = join(import.meta.dirname, 'reporter.ts');
  const arguments_ = ['--test', '--test-isolation=none', `--test-reporter=${reporter}`, file];
  // A run of tests inside of one would otherwise speak the language between the two.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, arguments_, { env }, (_error, output) => resolve(output));
  return (await promise).replace(/, [\d.]+ s\n$/, '\n');
}

const cases: Record<string, { given: string; want: string }> = {
  'what passes is counted and not named': {
    given: `describe('a', () => test('b', () => {}));`,
    want: 'tests 1, passed 1, failed 0, skipped 0\n',
  },
  'a skipped test': {
    given: `test.skip('a', () => {}); test('b', (t) => t.skip('why')); test('c', () => {});`,
    want: '  SKIPPED a\n  SKIPPED b\ntests 3, passed 1, failed 0, skipped 2\n',
  },
  'a skipped suite, whatever is in it': {
    given: `describe.skip('a', () => { test('b', () => {}); test('c', () => {}); }); test('d', () => {});`,
    want: '  SKIPPED a\ntests 2, passed 1, failed 0, skipped 1\n',
  },
  'a skipped suite within another': {
    given: `describe('a', () => { describe.skip('b', () => { test('c', () => {}); }); test('d', () => {}); });`,
    want: '  SKIPPED a > b\ntests 2, passed 1, failed 0, skipped 1\n',
  },
  'a test or suite that is still to be done proves nothing, though it passes': {
    given: `test.todo('a'); describe.todo('b', () => { test('c', () => {}); }); test('d', (t) => t.todo('later'));`,
    want: '  SKIPPED a\n  SKIPPED b > c\n  SKIPPED b\n  SKIPPED d\ntests 4, passed 0, failed 0, skipped 4\n',
  },
  'a step that is skipped': {
    given: `test('a', async (t) => { await t.test('b', { skip: true }, () => {}); });`,
    want: '  SKIPPED a > b\ntests 2, passed 1, failed 0, skipped 1\n',
  },
};

for (const [name, { given, want }] of Object.entries(cases))
  test(`reporter: ${name}`, async (t) => assert.equal(await report(t, given), want));

test('reporter: a failed test is named with where it stands and why, and what is around it is not counted', async (t) => {
  const output = await report(t, `describe('a', () => test('b', () => { throw new Error('no room'); }));`);
  assert.match(output, /^✖ a > b \(.*given\.test\.mjs:2\)\n {4}Error: no room\n/m);
  assert.match(output, /\ntests 1, passed 0, failed 1, skipped 0\n$/);
});

test('reporter: a test that is still to be done and fails has failed', async (t) => {
  const output = await report(t, `test('a', { todo: true }, () => { throw new Error('not yet'); });`);
  assert.match(output, /\ntests 1, passed 0, failed 1, skipped 0\n$/);
});
