import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProgressEvent, plainProgress, runTask } from './progress.ts';

test('a task that works is started and finished', async () => {
  const events: ProgressEvent[] = [];
  const result = await runTask(
    (event) => events.push(event),
    { name: 'a', title: 'A', expectedMs: 5 },
    async (report) => {
      report.advance(1, 2, 'things');
      report.note('by the way');
      return 42;
    },
  );
  assert.equal(result, 42);
  const last = events.pop();
  assert.ok(last?.type === 'finished' && last.task === 'a' && last.elapsedMs >= 0);
  assert.deepEqual(events, [
    { type: 'started', task: 'a', title: 'A', expectedMs: 5 },
    { type: 'advanced', task: 'a', done: 1, total: 2, unit: 'things' },
    { type: 'note', task: 'a', message: 'by the way' },
  ]);
});

test('a task that fails says why and passes the error on', async () => {
  const events: ProgressEvent[] = [];
  const failure = new Error('broken');
  await assert.rejects(
    runTask(
      (event) => events.push(event),
      { name: 'a', title: 'A' },
      async () => Promise.reject(failure),
    ),
    failure,
  );
  assert.deepEqual(events, [
    { type: 'started', task: 'a', title: 'A' },
    { type: 'failed', task: 'a', message: 'broken' },
  ]);
});

test('plain progress says how far it is every ten seconds', () => {
  const lines: string[] = [];
  let now = 0;
  const progress = plainProgress(
    (line) => lines.push(line),
    () => now,
  );
  progress({ type: 'started', task: 'a', title: 'Building A' });
  for (const seconds of [1, 9, 10, 11, 20]) {
    now = seconds * 1000;
    progress({ type: 'advanced', task: 'a', done: seconds, total: 30, unit: 'packages' });
  }
  progress({ type: 'note', task: 'a', message: 'A note.' });
  progress({ type: 'finished', task: 'a', title: 'Building A', elapsedMs: 1 });
  assert.deepEqual(lines, [
    'terrain: Building A',
    'terrain: a: 10 of 30 packages',
    'terrain: a: 20 of 30 packages',
    'terrain: A note.',
  ]);
});
