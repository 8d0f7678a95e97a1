import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, type VMDiskImage } from '@terrain/api';
import { anImage, hash, readyStatus, waitingStatus } from '../testing/image.ts';
import { type Answer, answerCancel, answerSync } from './ask.ts';

const now = '2026-01-03T00:00:00Z';
const waiting = anImage('a', { status: waitingStatus('2026-01-01T00:00:00Z', '1') });
const ready = anImage('a', { status: readyStatus });
const failed = anImage('a', {
  status: {
    observedGeneration: 1,
    phase: 'Failed',
    message: 'given up: nothing is there',
    retry: { sourceHash: hash, gaveUp: { at: '2026-01-01T00:00:00Z', reason: 'SourceNotFound' } },
  },
});
const leaving = anImage('a', { metadata: { deletionTimestamp: '2026-01-02T00:00:00Z' }, status: failed.status! });
const tryAgain: Answer = { kind: 'mark', annotations: { [annotations.retry]: now, [annotations.cancel]: null } };

const cases: Record<string, { given: VMDiskImage; sync: Answer; cancel: Answer }> = {
  'an image under way': { given: waiting, sync: tryAgain, cancel: { kind: 'mark', annotations: { [annotations.cancel]: now } } },
  'an image that is ready': {
    given: ready,
    sync: { kind: 'done', sentence: 'farm/a is ready already: nothing is downloaded again unless its source changes.' },
    cancel: { kind: 'refused', sentence: 'farm/a is ready: there is no download to cancel.' },
  },
  'an image that was given up': {
    given: failed,
    sync: tryAgain,
    cancel: { kind: 'refused', sentence: 'farm/a is not being downloaded: given up: nothing is there' },
  },
  'an image that is being deleted': {
    given: leaving,
    sync: { kind: 'refused', sentence: 'farm/a is being deleted: it is not downloaded any more.' },
    cancel: { kind: 'refused', sentence: 'farm/a is not being downloaded: it is being deleted' },
  },
};

for (const [sentence, { given, sync, cancel }] of Object.entries(cases))
  test(`the wish for another try, and for none, of ${sentence}`, () => {
    assert.deepEqual([answerSync(given, now), answerCancel(given, now)], [sync, cancel]);
  });
