import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Bench, Row } from './bench.ts';
import { runCommandLine } from './command-line.ts';

function benchOf(rows: readonly Row[]): Bench {
  return {
    name: 'tiny',
    summary: 'next to nothing',
    async run({ log }) {
      log('measuring');
      return [...rows];
    },
  };
}

const good: Row = { name: 'start', value: 1, unit: 's', goal: 2 };
const missed: Row = { name: 'stop', value: 3, unit: 's', goal: 2 };
const listed: Row = { name: 'memory', value: 40, unit: 'MiB' };

async function run(args: readonly string[], rows: readonly Row[] = [good]) {
  let stdout = '';
  let stderr = '';
  const code = await runCommandLine(args, {
    benches: [benchOf(rows), { ...benchOf([]), name: 'small', summary: 'a little more' }],
    signal: new AbortController().signal,
    print: (text) => {
      stdout += text;
    },
    log: (line) => {
      stderr += `${line}\n`;
    },
  });
  return { code, stdout, stderr };
}

function temporaryFile(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'terrain-bench-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'result.json');
}

test('without a name the benches are listed', async () => {
  assert.deepEqual(await run([]), { code: 0, stdout: 'tiny   next to nothing\nsmall  a little more\n', stderr: '' });
});

test('a name that no bench has is refused with those there are', async () => {
  assert.deepEqual(await run(['huge']), {
    code: 2,
    stdout: '',
    stderr: 'There is no bench called huge. There are: tiny, small.\n',
  });
});

const endings: Record<string, { given: readonly Row[]; want: number }> = {
  'goals that are all met': { given: [good, listed], want: 0 },
  'one goal that is missed': { given: [missed, good], want: 1 },
  'figures without any goal': { given: [listed], want: 0 },
};
for (const [name, { given, want }] of Object.entries(endings)) {
  test(`the exit code of ${name} is ${want}`, async () => {
    const { code, stdout, stderr } = await run(['tiny'], given);
    assert.equal(code, want);
    assert.equal(stdout.trimEnd().split('\n').length, given.length + 1, 'the machine and one line for each row');
    assert.equal(stderr, '  measuring\n');
  });
}

const mistakes: Record<string, { given: readonly string[]; want: RegExp }> = {
  'an option there is not': { given: ['tiny', '--fast'], want: /^Unknown option '--fast'/ },
  'a file that is not named': { given: ['tiny', '--json'], want: /^Option '--json <value>' argument missing/ },
  'two names': { given: ['tiny', 'small'], want: /^Name one bench at a time, not tiny, small\.$/m },
};
for (const [name, { given, want }] of Object.entries(mistakes)) {
  test(`${name}: nothing is measured, and a sentence says why`, async () => {
    const { code, stdout, stderr } = await run(given);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, want);
  });
}

test('a file has the machine, the versions and the rows, each with all keys, also when a goal was missed', async (t) => {
  const file = temporaryFile(t);
  assert.equal((await run(['tiny', '--json', file], [good, missed, listed])).code, 1);
  const { machine, versions, rows, ...more } = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(more, {});
  assert.deepEqual(Object.keys(machine), ['cpu', 'cores', 'memoryGiB', 'kernel', 'loadAverage']);
  assert.deepEqual(Object.keys(versions), ['terrain', 'node', 'go']);
  assert.deepEqual(rows, [
    { name: 'start', value: 1, unit: 's', goal: 2, pass: true },
    { name: 'stop', value: 3, unit: 's', goal: 2, pass: false },
    { name: 'memory', value: 40, unit: 'MiB', goal: null, pass: null },
  ]);
});
