import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotations, emptyLedger, type Ledger, type LedgerEntry, type VMDiskImage } from '@terrain/api';
import { uidOf } from '@terrain/api/testing';
import { anImage, hash, readyStatus, waitingStatus } from '../testing/image.ts';
import { type Queue, queueOf } from './queue.ts';
import { bar, renderQueue } from './queue-table.ts';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const since = '2026-01-01T00:50:00Z';

function ledgerOf(limit: number, ...names: string[]): Ledger {
  const entries = names.map((name, index): [string, LedgerEntry] => [
    uidOf(anImage(name)),
    { image: `farm/${name}`, attempt: 2, seq: index + 5, since, state: name === 'old' ? 'closing' : 'open' },
  ]);
  return { ...emptyLedger, limit, entries: new Map(entries) };
}

const history = [
  { sourceHash: hash, attempt: 1, started: '2026-01-01T00:00:00Z', ended: '2026-01-01T00:10:00Z', result: 'Succeeded' },
];
const failed = { sourceHash: hash, gaveUp: { at: since, reason: 'SourceNotFound' } };
const running = (name: string, attempt: number): VMDiskImage =>
  anImage(name, {
    status: {
      phase: 'Syncing',
      progress: '40%',
      attempt: { number: attempt, sourceHash: hash, startedAt: since, progressedAt: '2026-01-01T00:54:00Z' },
    },
  });
const early = '2026-01-01T00:00:01Z';
const images: readonly VMDiskImage[] = [
  anImage('z-last', { status: waitingStatus('2026-01-01T00:00:02Z', '1') }),
  anImage('ticket-10', { status: waitingStatus(early, '10') }),
  anImage('ticket-9', { status: waitingStatus(early, '9', 'SecretMissing') }),
  anImage('b-name', { status: waitingStatus(early, '10') }),
  running('runs', 2),
  running('begins', 1),
  anImage('done', { status: { ...readyStatus, history } }),
  anImage('failed', { status: { ...waitingStatus(early, '3'), retry: failed } }),
  anImage('again', {
    metadata: { annotations: { [annotations.retry]: 'x' } },
    status: { ...waitingStatus('2026-01-01T00:00:03Z', '3', 'SourceNotFound'), retry: failed },
  }),
  anImage('going', { metadata: { deletionTimestamp: since }, status: waitingStatus(early, '1') }),
];

const rows = (queue: Queue) =>
  queue.waiting.map(({ position, image, estimatedStart, estimatedEnd, heldBackBy }) => [
    position,
    image,
    estimatedStart,
    estimatedEnd,
    heldBackBy,
  ]);

test('the queue is in order of time, ticket as a number, and name; who cannot start keeps the place and is passed over', () => {
  const queue = queueOf(images, ledgerOf(3, 'runs', 'begins'), nowMs);
  assert.deepEqual(rows(queue), [
    [1, 'farm/ticket-9', null, null, 'SecretMissing'],
    [2, 'farm/b-name', '2026-01-01T01:00:00Z', '2026-01-01T01:10:00Z', null],
    [3, 'farm/ticket-10', '2026-01-01T01:00:00Z', '2026-01-01T01:10:00Z', null],
    [4, 'farm/z-last', '2026-01-01T01:00:00Z', '2026-01-01T01:10:00Z', null],
    [5, 'farm/again', '2026-01-01T01:10:00Z', '2026-01-01T01:20:00Z', null],
  ]);
  assert.deepEqual(queue.slots, { used: 2, limit: 3 });
  assert.equal(queue.typicalSeconds, 600);
});

test('what runs is in order of admission; progress counts only for the attempt that holds the slot', () => {
  const { active } = queueOf(images, ledgerOf(4, 'runs', 'begins', 'old'), nowMs);
  assert.deepEqual(
    active.map(({ image, progress, percentPerMinute, state, estimatedEnd }) => [
      image,
      progress,
      percentPerMinute,
      state,
      estimatedEnd,
    ]),
    [
      ['farm/runs', 40, 10, 'syncing', '2026-01-01T01:00:00Z'],
      ['farm/begins', null, null, 'syncing', '2026-01-01T01:00:00Z'],
      ['farm/old', null, null, 'ending', null],
    ],
  );
});

test('without a ledger to read, what runs is told by the images, and neither start nor end is guessed', () => {
  const queue = queueOf(images, 'you may not read it', nowMs);
  assert.deepEqual([queue.slots, queue.problem], [null, 'you may not read it']);
  assert.deepEqual(queue.active.map(({ image }) => image).sort(), ['farm/begins', 'farm/runs']);
  assert.ok(queue.waiting.every(({ estimatedStart, estimatedEnd }) => estimatedStart === null && estimatedEnd === null));
});

test('as long as no download was ever finished, a start may be known and its end is not', () => {
  const young = images.filter(({ metadata }) => metadata.name === 'ticket-10');
  const queue = queueOf(young, ledgerOf(1), nowMs);
  assert.deepEqual(rows(queue), [[1, 'farm/ticket-10', '2026-01-01T01:00:00Z', null, null]]);
  assert.match(renderQueue(queue, { nowMs, isWide: false }), /^1 +farm\/ticket-10 +10Gi +starts any moment +- +-$/m);
});

test('people see slots, bars and estimates', () => {
  const some = images.filter(({ metadata }) => ['runs', 'done', 'ticket-9', 'ticket-10'].includes(metadata.name));
  assert.equal(
    renderQueue(queueOf(some, ledgerOf(1, 'runs'), nowMs - 2 * 60_000), { nowMs: nowMs - 2 * 60_000, isWide: false }),
    [
      'Slots: 1 of 1 in use; a download took about 10m 00s lately',
      'Disks: 10 GiB under way, 20 GiB waiting',
      'POSITION  IMAGE           SIZE  PROGRESS                  RATE      ENDS',
      'active    farm/runs       10Gi  [######----------] 40%    10 %/min  in 2m 00s',
      '1         farm/ticket-9   10Gi  held back: SecretMissing  -         -',
      '2         farm/ticket-10  10Gi  starts in 2m 00s          -         in 12m 00s',
      '',
    ].join('\n'),
  );
});

test('an empty queue and one that is stopped say so', () => {
  assert.equal(
    renderQueue(queueOf([], ledgerOf(0), nowMs), { nowMs, isWide: false }),
    'Slots: 0 of 0 in use\nconcurrency is 0 in the sync policy: nothing starts until it is raised.\nNothing is downloading and nothing waits.\n',
  );
});

test('a bar is full only when all is done', () => {
  assert.deepEqual([null, 0, 99.9, 100].map(bar), [
    '[----------------] -',
    '[----------------] 0%',
    '[###############-] 99%',
    '[################] 100%',
  ]);
});
