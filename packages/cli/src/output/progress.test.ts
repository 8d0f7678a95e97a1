import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressView } from './progress.ts';

function viewOf(isTTY: boolean): { view: ProgressView; text: () => string; tick: (ms: number) => void } {
  let written = '';
  let now = 0;
  const output = { isTTY, columns: 60, write: (text: string) => (written += text) };
  return { view: new ProgressView(output, () => now), text: () => written, tick: (ms) => (now += ms) };
}

test('a log gets a line when a long task begins, now and then while it runs, and when it ends', () => {
  const { view, text, tick } = viewOf(false);
  view.show({ type: 'started', task: 'core', title: 'Building Kubernetes', expectedMs: 540_000 });
  for (let done = 1; done <= 3; done++) {
    tick(15_000);
    view.show({ type: 'advanced', task: 'core', done, total: 3, unit: 'packages' });
  }
  view.show({ type: 'note', task: 'core', message: 'The module proxy is busy; trying again in 2 s.' });
  view.show({ type: 'finished', task: 'core', title: 'Built Kubernetes', elapsedMs: 45_000 });
  view.close();
  assert.equal(
    text(),
    [
      '  Building Kubernetes (about 9m 00s the first time)',
      '  Building Kubernetes: 2/3 packages, 30.0 s of about 9m 00s',
      '  The module proxy is busy; trying again in 2 s.',
      '✓ Built Kubernetes (45.0 s)',
      '',
    ].join('\n'),
  );
});

test('a terminal gets one live line that is wiped before anything else is written', () => {
  const { view, text, tick } = viewOf(true);
  view.show({ type: 'started', task: 'api', title: 'Starting the API server' });
  tick(1500);
  view.say('hello');
  view.show({ type: 'failed', task: 'api', message: 'port 6443 is taken' });
  view.close();
  const wipe = '\r\x1b[2K';
  assert.equal(
    text(),
    `… Starting the API server, 0 ms${wipe}hello\n… Starting the API server, 1.5 s${wipe}✗ Starting the API server\n`,
  );
});
