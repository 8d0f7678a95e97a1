import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { ManagedProcess } from './managed-process.ts';
import { Supervisor } from './supervisor.ts';
import { until } from './until.ts';

interface Watched {
  readonly supervisor: Supervisor;
  readonly first: ManagedProcess;
  readonly successors: ManagedProcess[];
  readonly sentences: string[];
  readonly directory: string;
}

async function watched(t: TestContext, script: string): Promise<Watched> {
  const directory = temporaryDirectory(t);
  const sentences: string[] = [];
  const supervisor = new Supervisor({ firstDelayMs: 1, onRestart: (sentence) => sentences.push(sentence) });
  const first = await ManagedProcess.start({
    name: 'lodger',
    program: '/bin/sh',
    args: ['-c', script],
    directory,
    logFile: join(directory, 'log'),
    holdsEventLoop: true,
  });
  const successors: ManagedProcess[] = [];
  supervisor.watch(first, (successor) => successors.push(successor));
  t.after(async () => {
    await supervisor.stop();
    for (const each of [first, ...successors]) each.kill();
  });
  return { supervisor, first, successors, sentences, directory };
}

const soon = { timeoutMs: 20_000, everyMs: 2 };

test('a program that was killed runs again under the same command line, and it is said', async (t) => {
  const { first, successors, sentences } = await watched(t, 'echo here; exec sleep 1000');
  first.signal('SIGKILL');
  await until('a sentence about it', async () => sentences[0], soon);
  assert.equal(successors.length, 1);
  assert.equal(
    sentences[0],
    `lodger ended by SIGKILL and was started again (process ${successors[0]!.pid}); its last words are in ${first.logFile}`,
  );
  await until('its words', async () => ((await successors[0]!.output()) === 'here\n' ? true : undefined), soon);
});

test('one that keeps ending is given up with its last words', async (t) => {
  const { supervisor, successors, first } = await watched(t, 'echo no room at the inn; exit 3');
  const { code, message } = await supervisor.failed;
  assert.equal(code, 'ComponentFailed');
  assert.equal(
    message,
    `lodger ended with code 3 and was not started again: it ended 4 times within 120 s; the last lines of ${first.logFile} are:\nno room at the inn`,
  );
  assert.equal(successors.length, 3);
});

test('after stop nothing is started', async (t) => {
  const { supervisor, first, successors, directory } = await watched(t, 'while [ ! -e end ]; do sleep 0.01; done; touch ended');
  await supervisor.stop();
  writeFileSync(join(directory, 'end'), '');
  await first.waitForExit();
  await supervisor.stop();
  assert.ok(existsSync(join(directory, 'ended')));
  assert.deepEqual(successors, []);
});
