import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anEntry, aSnapshot, nowMs, syncing } from '#testing/image-world.ts';
import { pruneAtMs } from './housekeeping.ts';
import { currentRecord } from './record.ts';
import type { Snapshot } from './snapshot.ts';

/** An image made from a template, which nobody has referred to for longer than it is kept. */
const unused = (change: Parameters<typeof aSnapshot>[0] = {}): Snapshot => {
  const metadata = { labels: { 'pelotech.ot/created-by': 'test' } };
  const since = new Date(nowMs - 2 * 3_600_000).toISOString();
  const status = { ...syncing({ retry: { lastAttempt: 1 } }), references: 0, unreferencedSince: since };
  return aSnapshot({ image: { metadata, status }, ...change });
};
const atMs = (snapshot: Snapshot): number | undefined => pruneAtMs(snapshot, currentRecord(snapshot));

test('an image nobody uses is due', () => assert.ok((atMs(unused()) ?? Number.NaN) <= nowMs));

const busy: Record<string, Snapshot> = {
  'its slot is held': unused({ entry: anEntry() }),
  'the ledger cannot be read': { ...unused(), slot: { ledger: 'unreadable', message: 'schema 99' } },
  'its download runs': (() => {
    const snapshot = unused();
    return { ...snapshot, image: { ...snapshot.image, status: { ...snapshot.image.status, retry: {} } } };
  })(),
};
for (const [name, snapshot] of Object.entries(busy))
  test(`an image nobody uses has no time to go at while ${name}: a timer would only run in circles`, () =>
    assert.equal(atMs(snapshot), undefined));
