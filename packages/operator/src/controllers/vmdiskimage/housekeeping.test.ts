import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { aCut, anEntry, aSnapshot, aVolume, cutNameOf, nowMs, synced, syncing, volumeName } from '#testing/image-world.ts';
import { cleanUp, pruneAtMs } from './housekeeping.ts';
import type { Pass } from './pass.ts';
import { currentRecord } from './record.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';

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

const named = { snapshots: [aCut()], dataVolumes: [aVolume({ phase: 'Succeeded' })] };
/** What another attempt left, as far as the caches know: a snapshot, or the volume of one that is gone. */
const leftSnapshot = [...named.snapshots, aCut({ attempt: 2 })];
const leftVolume = [...named.dataVolumes, aVolume({ attempt: 3, phase: 'Succeeded' })];

/** Clears up after an image in the version of the cache; `live` is the image as it is stored. */
async function cleaning(
  children: Pick<Snapshot, 'snapshots' | 'dataVolumes'>,
  live: (judged: StoredImage) => StoredImage | undefined,
) {
  const snapshot = aSnapshot({ image: { status: synced() }, ...children });
  const did: string[] = [];
  const remove = async ({ metadata }: KubeObject) => void did.push(`delete ${metadata.name}`);
  const image = async () => {
    did.push('read image');
    return live(snapshot.image);
  };
  const pass = { deps: { eyes: { image } }, hands: { deleteSnapshot: remove, deleteDataVolume: remove } } as unknown as Pass;
  await cleanUp(pass, snapshot, currentRecord(snapshot));
  return did;
}

const changed = (metadata: Partial<StoredImage['metadata']>) => (judged: StoredImage) =>
  ({ ...judged, metadata: { ...judged.metadata, ...metadata } }) as StoredImage;
const leftovers = { snapshots: leftSnapshot, dataVolumes: leftVolume };
const cleanings: Record<string, { given: Parameters<typeof cleaning>; want: readonly string[] }> = {
  'what the stored image does not name goes': {
    given: [leftovers, (judged) => judged],
    want: ['read image', `delete ${cutNameOf(2)}`, `delete ${volumeName(3)}`],
  },
  'a volume alone is asked about too': {
    given: [{ ...named, dataVolumes: leftVolume }, changed({ resourceVersion: '99' })],
    want: ['read image'],
  },
  'an image that has changed since may name it': {
    given: [leftovers, changed({ resourceVersion: '99' })],
    want: ['read image'],
  },
  'another image of this name is not asked about ours': { given: [leftovers, changed({ uid: 'other' })], want: ['read image'] },
  'an image that is gone takes its children along': { given: [leftovers, () => undefined], want: ['read image'] },
  'where nothing is left over, nothing is read': { given: [named, (judged) => judged], want: [] },
};
for (const [name, { given, want }] of Object.entries(cleanings))
  test(`clearing up: ${name}`, async () => assert.deepEqual(await cleaning(...given), want));
