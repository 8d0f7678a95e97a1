import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultDurations } from '../scenario/scenario.ts';
import { type ImportScript, importAt } from './import-timeline.ts';

const seconds = (value: number): number => value * 1000;
/** A start as slow as the real one: the container runs 2 s after the claim was made. */
const durations = { ...defaultDurations, schedule: 1333, import: seconds(20) };
const script: ImportScript = { kind: 'http', durations, bytes: 1000 };
const failing = (fault: NonNullable<ImportScript['fault']>): ImportScript => ({ ...script, fault });

/** The moments of a script up to an offset, by following `untilMs`. */
function* moments(given: ImportScript, toMs: number) {
  for (let offsetMs = 0; offsetMs < toMs; ) {
    const moment = importAt(given, offsetMs);
    yield { offsetMs, moment };
    if (moment.untilMs === Number.POSITIVE_INFINITY) return;
    assert.ok(moment.untilMs > offsetMs, `a moment at ${offsetMs} ms does not end`);
    offsetMs = moment.untilMs;
  }
}

test('a 404 restarts as often as was seen: 1 after 7 s, then 19, 42, 96, 179, 343, 653, 956 s (B.4)', () => {
  const given = failing({ at: 'connect', reason: 'Error', message: () => 'got 404' });
  const starts = new Map<number, number>();
  for (const { offsetMs, moment } of moments(given, seconds(1000)))
    if (moment.container === 'running' && !starts.has(moment.restarts)) starts.set(moment.restarts, Math.round(offsetMs / 1000));
  assert.deepEqual([...starts].slice(1), [
    [1, 7],
    [2, 19],
    [3, 42],
    [4, 96],
    [5, 179],
    [6, 343],
    [7, 653],
    [8, 956],
  ]);
});

test('between restarts the container runs for 0.2 to 2 s and asks the server anew (0.10, B.4)', () => {
  const given = failing({ at: 'connect', reason: 'Error', message: (restart) => `got 404 (${restart})` });
  let downloads = 0;
  for (const { offsetMs, moment } of moments(given, seconds(200))) {
    if (moment.pod === 0 || moment.podPhase !== 'Running') continue;
    if (moment.container === 'running') {
      assert.ok(moment.untilMs - offsetMs >= 200 && moment.untilMs - offsetMs <= 2000);
      assert.deepEqual(moment.running, { status: true, reason: 'Pod is running', message: '' });
      assert.equal(moment.downloads, ++downloads);
    } else assert.deepEqual(moment.running, { status: false, reason: 'Error', message: `got 404 (${moment.restarts})` });
    assert.equal(moment.progress, 'N/A');
  }
  assert.equal(downloads, 6);
});

test('an import takes two pods, and the change of pods is no restart (0.3, B.3)', () => {
  const seen = [...moments(script, seconds(60))].map(({ moment }) => `${moment.pod} ${moment.podPhase} ${moment.running.reason}`);
  assert.deepEqual(
    seen.filter((value, index) => value !== seen[index - 1]),
    [
      '0  ',
      '1 Pending ',
      '1 Pending ContainerCreating',
      '1 Running Pod is running',
      '1 Running Scratch space required',
      '2 Pending ',
      '2 Pending ContainerCreating',
      '2 Running Pod is running',
      '2 Succeeded Completed',
    ],
  );
  assert.ok([...moments(script, seconds(60))].every(({ moment }) => moment.restarts === 0));
});

test('progress is N/A, then two decimals every two seconds, then 100.0% (1.3)', () => {
  const shown = [...moments({ ...script, durations: { ...durations, import: seconds(9) } }, seconds(60))].map(
    ({ moment }) => moment.progress,
  );
  assert.deepEqual([...new Set(shown)], ['N/A', '22.22%', '44.44%', '66.67%', '88.89%', '100.0%']);
});

test('a restarted transfer begins at byte 0 and its progress falls back (1.3, B.3)', () => {
  const given = failing({ at: 'transfer', fraction: 0.5, reason: 'Error', message: 'log', times: 1 });
  const shown = [...moments(given, seconds(90))].map(({ moment }) => `${moment.restarts} ${moment.progress}`);
  const steps = shown.filter((value, index) => value !== shown[index - 1]);
  assert.ok(steps.indexOf('1 10.00%') > steps.indexOf('0 50.00%'), steps.join(', '));
  const last = importAt(given, seconds(1000));
  assert.deepEqual([last.outcome, last.restarts, last.downloads, last.bytes], ['succeeded', 1, 2, 1500]);
});

const ends: Record<string, { given: ImportScript; want: Partial<ReturnType<typeof importAt>> }> = {
  'a good import': {
    given: script,
    want: { outcome: 'succeeded', progress: '100.0%', downloads: 1, bytes: 1000, restarts: 0, pod: 2 },
  },
  'a registry import has scratch space from the start and one pod': {
    given: { ...script, kind: 'registry' },
    want: { outcome: 'succeeded', pod: 1, hasScratch: true, downloads: 1 },
  },
  'an empty disk is made by one pod and downloads nothing': {
    given: { ...script, kind: 'blank' },
    want: { outcome: 'succeeded', pod: 1, hasScratch: false, downloads: 0, bytes: 0 },
  },
  'a wrong checksum is final, and progress stays where it was (B.4)': {
    given: failing({ at: 'checksum', message: 'checksum mismatch' }),
    want: {
      outcome: 'fatal',
      podPhase: 'Failed',
      progress: '100.00%',
      restarts: 0,
      running: { status: false, reason: 'ChecksumError', message: 'checksum mismatch' },
    },
  },
  'an OOM kill is answered with another pod, once, and is no restart (1.3, 1.4)': {
    given: failing({ at: 'oom', isForever: false }),
    want: { outcome: 'succeeded', pod: 3, restarts: 0, downloads: 2, bytes: 1500 },
  },
  'a stalled download stays at its per cent for ever': {
    given: failing({ at: 'stall', percent: 42 }),
    want: { outcome: 'underway', progress: '42.00%', untilMs: Number.POSITIVE_INFINITY, bytes: 420 },
  },
  'a pod that cannot be scheduled stays Pending': {
    given: failing({ at: 'schedule' }),
    want: { outcome: 'underway', podPhase: 'Pending', isSchedulable: false, downloads: 0, untilMs: Number.POSITIVE_INFINITY },
  },
  'a missing Secret keeps the container from starting': {
    given: failing({ at: 'container', reason: 'CreateContainerConfigError', message: 'secret "x" not found' }),
    want: {
      outcome: 'underway',
      podPhase: 'Pending',
      isSchedulable: true,
      running: { status: false, reason: 'CreateContainerConfigError', message: 'secret "x" not found' },
      untilMs: Number.POSITIVE_INFINITY,
    },
  },
};
for (const [name, { given, want }] of Object.entries(ends))
  test(name, () => {
    const moment = importAt(given, seconds(3600));
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, moment[key as keyof typeof moment]])), want);
  });

test('every start shows unschedulable for under a second (0.9)', () => {
  const unplaced = [...moments(script, seconds(60))].filter(({ moment }) => !moment.isSchedulable);
  assert.equal(unplaced.length, 2);
  for (const { offsetMs, moment } of unplaced) assert.ok(moment.untilMs - offsetMs < 1000);
});

test('an instant import is over when it begins', () => {
  const none = { ...durations, schedule: 0, validate: 0, import: 0 };
  assert.equal(importAt({ ...script, durations: none }, 0).outcome, 'succeeded');
});
