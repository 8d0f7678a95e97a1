import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aClaim,
  aCut,
  ago,
  aSnapshot,
  aVolume,
  cancelled,
  cutNameOf,
  deleted,
  paused,
  synced,
  syncing,
} from '#testing/image-world.ts';
import { decide } from './decide.ts';
import type { Snapshot } from './snapshot.ts';
import { statusOf } from './status.ts';

const words = 'the ledger has schema 99';
const aWorld = (change: Parameters<typeof aSnapshot>[0] = {}): Snapshot =>
  aSnapshot({ slot: { ledger: 'unreadable', message: words }, ...change });
const complete = { dataVolumes: [aVolume({ phase: 'Succeeded' })], claims: [aClaim()] };
const otherSource = { url: 'https://images.example.com/other.qcow2' };
const inUse = { count: 1, names: ['a/b'], asOf: '1', waiting: undefined };

function brief(snapshot: Snapshot): string {
  const { step } = decide(snapshot);
  return step.kind === 'wait' || step.kind === 'failed' ? `${step.kind} ${step.reason}` : step.kind;
}

const cases: Record<string, { given: Snapshot; want: string }> = {
  // What needs no slot
  'artifact of this source': {
    given: aWorld({ image: { status: synced() }, snapshots: [aCut()], ...complete }),
    want: 'steady',
  },
  'artifact of this source, its snapshot gone: cut again, which takes no slot': {
    given: aWorld({ image: { status: synced() }, ...complete }),
    want: 'cut',
  },
  'given up': {
    given: aWorld({
      image: { status: syncing({ retry: { lastAttempt: 1, gaveUp: { at: ago(60), reason: 'SourceNotFound' } } }) },
    }),
    want: 'failed SourceNotFound',
  },
  'in backoff': {
    given: aWorld({ image: { status: syncing({ retry: { lastAttempt: 1, failures: 1, nextRetryAt: ago(-60) } }) } }),
    want: 'wait RetryBackoff',
  },
  'the download is complete': { given: aWorld({ image: { status: syncing() }, ...complete }), want: 'cut' },
  'complete and cut': { given: aWorld({ image: { status: syncing() }, ...complete, snapshots: [aCut()] }), want: 'succeed' },
  paused: { given: aWorld({ image: { metadata: paused } }), want: 'wait Paused' },
  // What needs one, or has one that only the ledger can take back
  'a new image': { given: aWorld(), want: 'wait Queued' },
  'a new image whose Secret nobody has read': { given: aWorld({ secret: 'unknown' }), want: 'wait Queued' },
  'artifact of another source': {
    given: aWorld({ image: { status: synced(), spec: otherSource }, snapshots: [aCut()] }),
    want: 'wait Queued',
  },
  'a download runs': { given: aWorld({ image: { status: syncing() }, dataVolumes: [aVolume()] }), want: 'wait Queued' },
  'a download runs, cancelled': {
    given: aWorld({ image: { status: syncing(), metadata: cancelled }, dataVolumes: [aVolume()] }),
    want: 'wait Queued',
  },
  'an attempt has begun, and has no DataVolume': { given: aWorld({ image: { status: syncing() } }), want: 'wait Queued' },
  'the last snapshot of a complete download failed': {
    given: aWorld({
      image: { status: syncing({ attempt: { volumeSnapshot: cutNameOf(1, 3) } }) },
      ...complete,
      snapshots: [aCut({ cut: 3, error: 'x', age: 61 })],
    }),
    want: 'wait Queued',
  },
  // Deletion
  deleted: { given: aWorld({ image: { metadata: deleted, status: synced() }, ...complete }), want: 'remove' },
  'deleted, and its download runs': {
    given: aWorld({ image: { metadata: deleted, status: syncing() }, dataVolumes: [aVolume()] }),
    want: 'wait Deleting',
  },
  'deleted, and its download has failed for good': {
    given: aWorld({ image: { metadata: deleted, status: syncing() }, dataVolumes: [aVolume({ phase: 'Failed' })] }),
    want: 'remove',
  },
  'deleted while in use': { given: aWorld({ image: { metadata: deleted }, references: inUse }), want: 'inUse' },
  'deleted while paused': { given: aWorld({ image: { metadata: { ...deleted, ...paused } } }), want: 'wait Paused' },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`with a ledger that cannot be read: ${name}`, () => assert.equal(brief(given), want));

test('whoever waits for a ledger that cannot be read is told so', () => {
  for (const [name, { given, want }] of Object.entries(cases))
    if (want === 'wait Queued' || want === 'wait Deleting')
      assert.match(statusOf(given, decide(given)).message ?? '', new RegExp(words), name);
});

test('an image that can be cloned is written as it was while the ledger could be read', () => {
  const world = { image: { status: synced() }, snapshots: [aCut()], ...complete };
  const [readable, unreadable] = [aSnapshot(world), aWorld(world)].map((given) => statusOf(given, decide(given)));
  assert.deepEqual(unreadable, readable);
});

test('nothing of an attempt is counted as long as its slot cannot be given back', () => {
  for (const [name, { given, want }] of Object.entries(cases))
    if (want === 'wait Queued')
      assert.deepEqual(decide(given).record.retry.lastAttempt, given.image.status?.retry?.lastAttempt, name);
});
