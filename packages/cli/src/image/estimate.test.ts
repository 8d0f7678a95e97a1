import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anImage } from '../testing/image.ts';
import { estimatedEndMs, estimatedStarts, typicalMs } from './estimate.ts';

const minute = 60_000;

function ran(minutes: number, result = 'Succeeded', day = 1) {
  const started = Date.UTC(2026, 0, day);
  const instant = (ms: number): string => new Date(ms).toISOString();
  return { sourceHash: 'h', attempt: 1, started: instant(started), ended: instant(started + minutes * minute), result };
}

test('the typical time is the median of the last twenty successes, and unknown without one', () => {
  assert.equal(typicalMs([anImage('a'), anImage('b', { status: { history: [ran(1, 'SourceNotFound')] } })]), undefined);
  const old = Array.from({ length: 30 }, () => ran(500));
  const recent = Array.from({ length: 20 }, (_, index) => ran(index + 1, 'Succeeded', 2));
  assert.equal(
    typicalMs([anImage('a', { status: { history: old } }), anImage('b', { status: { history: recent } })]),
    10 * minute,
  );
});

const ends: Record<string, { progress: number | undefined; typical: number | undefined; wanted: number | undefined }> = {
  'by its own pace where progress was reported': { progress: 25, typical: 5 * minute, wanted: 40 * minute },
  'at any moment once all is downloaded': { progress: 100, typical: undefined, wanted: 20 * minute },
  'after the typical time where none was': { progress: undefined, typical: 30 * minute, wanted: 30 * minute },
  'never said when the typical time has passed': { progress: 0, typical: 5 * minute, wanted: undefined },
  'never said without a basis': { progress: undefined, typical: undefined, wanted: undefined },
};
for (const [name, { progress, typical, wanted }] of Object.entries(ends)) {
  test(`the end of a download is ${name}`, () => {
    assert.equal(estimatedEndMs({ startedMs: 0, progress, reportedMs: 10 * minute }, typical, 20 * minute), wanted);
  });
}

const starts: Record<string, { limit: number; endsMs: (number | undefined)[]; typical: number | undefined; wanted: unknown[] }> =
  {
    'free slots are taken at once, the rest follow in turn': { limit: 2, endsMs: [7], typical: 10, wanted: [0, 7, 10, 17] },
    'without a typical time only the slots that are there count': {
      limit: 2,
      endsMs: [7],
      typical: undefined,
      wanted: [0, 7, undefined, undefined],
    },
    'a slot whose end is unknown gives no start': {
      limit: 1,
      endsMs: [undefined],
      typical: 10,
      wanted: Array(4).fill(undefined),
    },
    'after the limit was lowered the first to end make no room': {
      limit: 1,
      endsMs: [9, 3, 5],
      typical: 10,
      wanted: [9, 19, 29, 39],
    },
    'with a limit of 0 nothing starts': { limit: 0, endsMs: [5], typical: 10, wanted: Array(4).fill(undefined) },
  };
for (const [name, { limit, endsMs, typical, wanted }] of Object.entries(starts)) {
  test(`estimated starts: ${name}`, () => assert.deepEqual(estimatedStarts(4, { limit, endsMs }, typical, 0), wanted));
}
