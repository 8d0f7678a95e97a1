import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, type VMDiskImageStatus } from '@terrain/api';
import fc from 'fast-check';
import type { Failure } from '#platform/failure.ts';
import { policyOf, readPolicy } from '#policy/policy.ts';
import { ago, anImage, aSnapshot, hash, now, nowMs, retried, synced, syncing, volumeName } from '#testing/image-world.ts';
import {
  type Attempt,
  backoffMs,
  currentRecord,
  deferred,
  ended,
  hasEnded,
  type ImageRecord,
  type Outcome,
  runningAttempt,
  succeeded,
} from './record.ts';
import type { Snapshot } from './snapshot.ts';

const attempt: Attempt = { number: 1, sourceHash: hash, startedAt: ago(10), dataVolume: volumeName(1) };
const running = (change: Parameters<typeof syncing>[0] = {}, policy: Record<string, string> = {}): Snapshot =>
  aSnapshot({ image: { status: syncing(change) }, policy });
const fail = (failureClass: Failure['class'], reason: Failure['reason'] = 'SourceUnreachable'): Outcome => ({
  kind: 'failed',
  failure: { class: failureClass, reason, message: 'words' },
});
const end = (snapshot: Snapshot, outcome: Outcome): ImageRecord => ended(currentRecord(snapshot), attempt, outcome, snapshot);

test('a failure that may pass is counted, waits for its backoff and goes to the tail of the queue', () => {
  const { retry, queuedAt, history } = end(running(), fail('retryable'));
  assert.deepEqual(
    [retry.failures, retry.lastAttempt, retry.lastReason, retry.lastMessage, retry.lastFailureTime],
    [1, 1, 'SourceUnreachable', 'words', now],
  );
  assert.equal(retry.nextRetryAt, queuedAt);
  const waitMs = Date.parse(queuedAt) - nowMs;
  assert.ok(waitMs >= 270_000 && waitMs <= 330_000, `${waitMs}`);
  assert.deepEqual(history, [
    { url: anImage().spec.url, sourceHash: hash, attempt: 1, started: ago(10), ended: now, result: 'SourceUnreachable' },
  ]);
});

const limits: Record<string, { failures: number; retryLimit: string; want: string | undefined }> = {
  'below the limit': { failures: 1, retryLimit: '2', want: undefined },
  'at the limit one more is allowed': { failures: 1, retryLimit: '2', want: undefined },
  'above it is given up': { failures: 2, retryLimit: '2', want: 'RetryLimitReached' },
  'no retries at all': { failures: 0, retryLimit: '0', want: 'RetryLimitReached' },
  'a limit lowered meanwhile counts when the attempt ends': { failures: 2, retryLimit: '1', want: 'RetryLimitReached' },
};
for (const [name, { failures, retryLimit, want }] of Object.entries(limits))
  test(`retries: ${name}`, () => {
    const { retry } = end(running({ retry: { failures } }, { retryLimit }), fail('retryable'));
    assert.equal(retry.gaveUp?.reason, want);
    assert.equal(retry.nextRetryAt === undefined, want !== undefined);
  });

test('a permanent failure is given up at once, under its own name', () => {
  const { retry } = end(running(), fail('permanent', 'SourceNotFound'));
  assert.deepEqual([retry.gaveUp, retry.failures, retry.nextRetryAt], [{ at: now, reason: 'SourceNotFound' }, 1, undefined]);
});

test('what has to wait counts no failure, and waits as long each time', () => {
  const { retry, queuedAt } = end(running({ retry: { failures: 1 } }), fail('wait', 'QuotaExceeded'));
  assert.deepEqual([retry.failures, retry.lastReason, retry.gaveUp], [1, 'QuotaExceeded', undefined]);
  assert.equal(Date.parse(queuedAt) - nowMs, 300_000);
});

test('what has to wait for the platform is not asked about without a pause, whatever the policy says', () => {
  const hasty = running({}, { retryBackoffDuration: '0s' });
  const waitMs = ({ retry }: ImageRecord): number => Date.parse(retry.nextRetryAt ?? '') - nowMs;
  const quota: Failure = { class: 'wait', reason: 'QuotaExceeded', message: 'words' };
  assert.equal(waitMs(end(hasty, { kind: 'failed', failure: quota })), 10_000);
  assert.equal(waitMs(deferred(currentRecord(hasty), quota, hasty)), 10_000);
  const { retry, queuedAt } = end(hasty, fail('retryable'));
  assert.deepEqual([retry.nextRetryAt, queuedAt], [undefined, now], 'what failed is queued again at once, and counted');
});

test('cancelling gives up without a failure', () => {
  const { retry } = end(running(), { kind: 'cancelled' });
  assert.deepEqual([retry.gaveUp, retry.failures, retry.lastAttempt], [{ at: now, reason: 'Cancelled' }, undefined, 1]);
});

test('a withdrawn attempt counts nothing and keeps its place, but its number is used up', () => {
  const { retry, queuedAt } = end(running({ queuedAt: ago(500) }), { kind: 'withdrawn', reason: 'SecretMissing', message: 'm' });
  assert.deepEqual([retry, queuedAt], [{ sourceHash: hash, lastAttempt: 1 }, ago(500)]);
});

test('a changed source is no failure: the first change goes to the tail at once, the next only after a backoff', () => {
  const first = end(running(), { kind: 'sourceChanged' });
  assert.deepEqual([first.queuedAt, first.retry.nextRetryAt, first.retry.failures], [now, undefined, undefined]);
  const changed = { sourceHash: 'h', attempt: 0, started: ago(100), ended: ago(60), result: 'SourceChanged' };
  const second = end(running({ history: [changed] }), { kind: 'sourceChanged' });
  assert.equal(second.queuedAt, ago(60 - 300));
  assert.equal(second.retry.nextRetryAt, ago(60 - 300));
  const later = end(running({ history: [{ ...changed, ended: ago(301) }] }), { kind: 'sourceChanged' });
  assert.deepEqual([later.queuedAt, later.retry.nextRetryAt], [now, undefined]);
});

const changedTo = (url: string, status: VMDiskImageStatus, metadata = {}): Snapshot =>
  aSnapshot({ image: { spec: { url: `https://images.example.com/${url}` }, status, metadata } });

test('a source that changes again during that backoff does not get out of it', () => {
  const braked = syncing({ queuedAt: ago(-240), retry: { lastAttempt: 2, token: 't', nextRetryAt: ago(-240) } });
  const again = currentRecord(changedTo('third.qcow2', braked));
  assert.deepEqual([again.queuedAt, again.retry.nextRetryAt, again.retry.lastAttempt], [ago(-240), ago(-240), 2]);
  assert.notEqual(again.retry.sourceHash, hash);
  const asked = currentRecord(changedTo('third.qcow2', braked, retried('now')));
  assert.deepEqual([asked.queuedAt, asked.retry.nextRetryAt], [now, undefined], 'a person may end any backoff');
  const over = currentRecord(changedTo('third.qcow2', { ...braked, retry: { ...braked.retry, nextRetryAt: ago(0) } }));
  assert.deepEqual([over.queuedAt, over.retry.nextRetryAt], [now, undefined]);
});

for (const [name, retry] of Object.entries({
  'a failure': { failures: 1, lastReason: 'SourceUnreachable' },
  'a full quota': { lastReason: 'QuotaExceeded' },
}))
  test(`the backoff after ${name} belongs to the source that had it: another one starts at once`, () => {
    const { queuedAt, retry: fresh } = currentRecord(
      changedTo('third.qcow2', syncing({ queuedAt: ago(-60), retry: { lastAttempt: 1, nextRetryAt: ago(-60), ...retry } })),
    );
    assert.deepEqual([queuedAt, fresh.nextRetryAt], [now, undefined]);
  });

test('a source that keeps changing is queued once per backoff, however the changes lie', () => {
  const changedAt = (attempt: number, seconds: number) => ({
    sourceHash: 'h',
    attempt,
    started: ago(900),
    ended: ago(seconds),
    result: 'SourceChanged',
  });
  // Queued at once 310 s ago, then 300 s after that, which is 10 s ago; the attempt that began then ends now.
  const history = [changedAt(2, 305), changedAt(1, 310)];
  const { queuedAt, retry } = end(running({ history }), { kind: 'sourceChanged' });
  assert.deepEqual([queuedAt, retry.nextRetryAt], [ago(10 - 300), ago(10 - 300)]);
});

test('a source that a person had queued again and again waits for one backoff, not for all of them', () => {
  const history = Array.from({ length: 9 }, (_, index) => ({
    sourceHash: 'h',
    attempt: 9 - index,
    started: ago(900),
    ended: ago(60 * (index + 1)),
    result: 'SourceChanged',
  }));
  assert.equal(end(running({ history }), { kind: 'sourceChanged' }).retry.nextRetryAt, ago(-300));
});

test('counting the same attempt twice is prevented by what the record says', () => {
  const record = end(running(), fail('retryable'));
  assert.ok(hasEnded(record, 1));
  assert.equal(runningAttempt(record), undefined);
  assert.ok(!hasEnded(record, 2));
});

test('history keeps the last ten, newest first, each attempt once, and no url of another source', () => {
  const old = Array.from({ length: 10 }, (_, index) => ({
    sourceHash: 'h',
    attempt: 20 - index,
    started: now,
    ended: now,
    result: 'x',
  }));
  const { history } = end(running({ history: old, attempt: { sourceHash: 'other' } }), fail('retryable'));
  assert.equal(history.length, 10);
  assert.deepEqual(history.map((entry) => entry.attempt).slice(0, 3), [1, 20, 19]);
  const other = ended(currentRecord(running()), { ...attempt, sourceHash: 'other' }, fail('retryable'), running());
  assert.equal(other.history[0]?.url, undefined);
});

test('success forgets the failures and remembers the artifact', () => {
  const snapshot = running({ retry: { failures: 2, lastReason: 'x', nextRetryAt: ago(50), token: 't' } });
  const artifact = { volumeSnapshot: 's', dataVolume: 'd', sourceHash: hash, syncedAt: now };
  const record = succeeded(currentRecord(snapshot), artifact, attempt, snapshot);
  assert.deepEqual(record.retry, { sourceHash: hash, lastAttempt: 1, token: 't' });
  assert.deepEqual(record.artifact, artifact);
  assert.deepEqual(
    record.history.map(({ result }) => result),
    ['Succeeded'],
  );
});

test('a new source starts anew, but numbers and tokens go on', () => {
  const record = currentRecord(
    aSnapshot({
      image: {
        spec: { url: 'https://images.example.com/new.qcow2' },
        status: synced({ retry: { lastAttempt: 4, failures: 2, token: 't', gaveUp: { at: now, reason: 'x' } } }),
      },
    }),
  );
  assert.deepEqual({ ...record.retry, sourceHash: '' }, { sourceHash: '', lastAttempt: 4, token: 't' });
  assert.equal(record.queuedAt, now);
  assert.equal(record.artifact?.sourceHash, hash);
});

test('a token too long for the status is told by its hash, and honoured once', () => {
  const long = 'x'.repeat(5000);
  const first = currentRecord(
    aSnapshot({
      image: { metadata: retried(long), status: syncing({ retry: { lastAttempt: 1, gaveUp: { at: now, reason: 'x' } } }) },
    }),
  );
  assert.ok((first.retry.token ?? '').length <= 253 && first.retry.gaveUp === undefined);
  const again = { lastAttempt: 1, token: first.retry.token ?? '', gaveUp: { at: now, reason: 'x' } };
  const second = currentRecord(aSnapshot({ image: { metadata: retried(long), status: syncing({ retry: again }) } }));
  assert.equal(second.retry.gaveUp?.reason, 'x');
  assert.equal(
    currentRecord(aSnapshot({ image: { metadata: { annotations: { [annotations.retry]: '' } } } })).retry.token,
    undefined,
  );
});

test('backoff doubles up to its maximum, give or take a tenth, the same for the same attempt', () => {
  const policy = policyOf(readPolicy({ retryBackoffDuration: '10s', retryBackoffMax: '60s' }, new Map()).texts);
  const plain = [10, 20, 40, 60, 60];
  for (const [index, seconds] of plain.entries()) {
    const ms = backoffMs(policy, index + 1, 'seed');
    assert.ok(ms >= seconds * 900 && ms <= seconds * 1100, `${index}: ${ms}`);
    assert.equal(backoffMs(policy, index + 1, 'seed'), ms);
  }
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 10_000 }), (seed, failures) => {
      const ms = backoffMs(policy, failures, seed);
      assert.ok(ms >= 9000 && ms <= 66_000);
    }),
  );
  const spread = new Set(Array.from({ length: 100 }, (_, index) => backoffMs(policy, 1, `${index}/1`)));
  assert.ok(spread.size > 80, 'images that failed together do not come back together');
});

test('a maximum below the duration does not shorten it', () => {
  const policy = policyOf(readPolicy({ retryBackoffDuration: '10s', retryBackoffMax: '1s' }, new Map()).texts);
  assert.ok(backoffMs(policy, 1, 's') >= 9000);
});
