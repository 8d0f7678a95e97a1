/** A snapshot that the API server refused waits for its time, and for nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImageStatus } from '@terrain/api';
import { aClaim, ago, aSnapshot, aVolume, cutNameOf, synced, syncing } from '#testing/image-world.ts';
import { decide } from './decide.ts';
import { decideRefusedCut } from './decide-cut.ts';
import { currentRecord } from './record.ts';

const downloaded = { dataVolumes: [aVolume({ phase: 'Succeeded' })], claims: [aClaim()] };
const refused = (nextRetryAt: string) => ({ lastAttempt: 1, lastReason: 'QuotaExceeded', lastMessage: 'exceeded', nextRetryAt });
const stepOf = (status: VMDiskImageStatus) => {
  const { step } = decide(aSnapshot({ ...downloaded, image: { status } }));
  return step.kind === 'wait'
    ? [step.reason, step.message, step.afterMs]
    : step.kind === 'cut'
      ? ['cut', step.name]
      : [step.kind];
};
const waits = (at: string) => ['QuotaExceeded', `exceeded; tried again at ${at}`, 60_000];

for (const [name, made] of Object.entries({ 'a download': syncing, 'an artifact that lost its own': synced }))
  test(`the snapshot of ${name} is cut again when its time has come, and not before`, () => {
    assert.deepEqual(stepOf(made({ retry: refused(ago(-60)) })), waits(ago(-60)));
    assert.deepEqual(stepOf(made({ retry: refused(ago(0)) })), ['cut', cutNameOf(1)]);
  });

test('a backoff that is about the source holds up no snapshot: it takes no slot', () => {
  assert.deepEqual(stepOf(syncing({ retry: { lastAttempt: 1, nextRetryAt: ago(-60) } })), ['cut', cutNameOf(1)]);
});

test('a snapshot that was refused is cut again after a pause, whatever the policy says', () => {
  const snapshot = aSnapshot({ ...downloaded, image: { status: synced() }, policy: { retryBackoffDuration: '0s' } });
  const failure = { class: 'wait', reason: 'QuotaExceeded', message: 'exceeded' } as const;
  const { step, record } = decideRefusedCut(snapshot, currentRecord(snapshot), failure);
  const message = `exceeded; tried again at ${ago(-10)}`;
  assert.deepEqual(step, { kind: 'wait', reason: 'QuotaExceeded', message, afterMs: 10_000 });
  assert.equal(record.retry.nextRetryAt, ago(-10));
});
