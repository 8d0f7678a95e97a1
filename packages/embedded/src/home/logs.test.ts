import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { rotateLog } from './logs.ts';

test('a log is set aside when it is large, and the oldest of four goes', async (t) => {
  const directory = temporaryDirectory(t);
  const log = join(directory, 'x.log');
  await rotateLog(log, 3);
  for (const text of ['aaa', 'bbb', 'ccc', 'ddd']) {
    writeFileSync(log, text);
    await rotateLog(log, 3);
  }
  assert.deepEqual(
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
    [
      ['x.log.1', 'ddd'],
      ['x.log.2', 'ccc'],
      ['x.log.3', 'bbb'],
    ],
  );
});

test('a small log is continued', async (t) => {
  const log = join(temporaryDirectory(t), 'x.log');
  writeFileSync(log, 'aa');
  await rotateLog(log, 3);
  assert.equal(readFileSync(log, 'utf8'), 'aa');
});
