import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Happening } from '@terrain/runtime';
import { ago, anEntry, aSnapshot, aVolume, cancelled, synced, syncing } from '#testing/image-world.ts';
import { judgeCertConfigMap, judgeSecret } from './credential.ts';
import { decide } from './decide.ts';
import { eventOf } from './events.ts';
import { pruneIfDue } from './housekeeping.ts';
import type { Pass } from './pass.ts';
import { currentRecord } from './record.ts';
import type { Snapshot } from './snapshot.ts';
import { statusOf } from './status.ts';

const running = { entry: anEntry(), dataVolumes: [aVolume({ progress: '1.00%' })] };
const failed = {
  entry: anEntry(),
  image: { status: syncing() },
  dataVolumes: [aVolume({ running: { status: 'False', reason: 'Evicted' } })],
};
const s3 = { sourceType: 's3' as const, secretRef: 'keys' };

const cases: Record<string, { given: Snapshot; want: Happening | undefined }> = {
  'a download that is cancelled': {
    given: aSnapshot({ ...running, image: { metadata: cancelled, status: syncing() } }),
    want: { type: 'Normal', reason: 'Cancelled', note: 'attempt 1 was cancelled' },
  },
  'a source that changes while it is downloaded': {
    given: aSnapshot({ ...running, image: { spec: { url: 'https://images.example.com/other.qcow2' }, status: syncing() } }),
    want: { type: 'Normal', reason: 'SourceChanged', note: 'attempt 1 was ended because the source changed' },
  },
  'a failure that is tried again': {
    given: aSnapshot({ ...failed, policy: { retryBackoffDuration: '0s', retryLimit: '1' } }),
    want: { type: 'Warning', reason: 'ImporterFailed', note: 'attempt 1 failed, tried again at once: Evicted' },
  },
  'a failure that is tried no more': {
    given: aSnapshot({ ...failed, policy: { retryLimit: '0' } }),
    want: { type: 'Warning', reason: 'ImporterFailed', note: 'attempt 1 failed, given up: Evicted' },
  },
  'a download that goes on': { given: aSnapshot({ ...running, image: { status: syncing() } }), want: undefined },
  'a download that waits for its slot': { given: aSnapshot(), want: undefined },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`event: ${name}`, () => assert.deepEqual(eventOf(given, decide(given)), want));

const empty = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, data: {} } as const;
const missing: Record<string, Snapshot> = {
  SecretMissing: aSnapshot({ image: { spec: s3 }, secret: judgeSecret(undefined, 'keys', 's3') }),
  SecretInvalid: aSnapshot({ image: { spec: s3 }, secret: judgeSecret(empty, 'keys', 's3') }),
  CertConfigMapMissing: aSnapshot({
    image: { spec: { certConfigMap: 'authority' } },
    certConfigMap: judgeCertConfigMap(false, 'authority'),
  }),
  StorageClassMissing: aSnapshot({ image: { spec: { storageClass: 'absent' } } }),
  SnapshotClassMissing: aSnapshot({ image: { spec: { snapshotClass: 'absent' } } }),
  PlatformMissing: aSnapshot({ platform: { ...aSnapshot().platform, hasDataVolumes: false } }),
};
for (const [reason, snapshot] of Object.entries(missing))
  test(`event: ${reason} is told once, in the words of the status`, () => {
    const decision = decide(snapshot);
    const status = statusOf(snapshot, decision);
    assert.deepEqual(eventOf(snapshot, decision), { type: 'Warning', reason, note: status.message });
    const told: Snapshot = { ...snapshot, image: { ...snapshot.image, status } };
    assert.equal(eventOf(told, decide(told)), undefined);
  });

test('event: an image that is pruned, and none for one that is used again meanwhile', async () => {
  const since = ago(7200);
  const snapshot = aSnapshot({
    image: { metadata: { labels: { 'pelotech.ot/created-by': 'test' } }, status: synced({ unreferencedSince: since }) },
    policy: { templateImageTTL: '1h' },
  });
  const pruned = async (machines: readonly string[]): Promise<readonly unknown[]> => {
    const told: Happening[] = [];
    const deps = {
      eyes: { machinesOf: async () => machines },
      record: (_: unknown, happening: Happening) => told.push(happening),
    };
    const pass = { deps, hands: { deleteImage: async () => undefined }, key: 'vmdi-farm/debian' } as unknown as Pass;
    return [await pruneIfDue(pass, snapshot, currentRecord(snapshot)), ...told];
  };
  const note = `no virtual machine has referred to it since ${since}`;
  assert.deepEqual(await pruned([]), [true, { type: 'Normal', reason: 'Pruned', note }]);
  assert.deepEqual(await pruned(['a machine']), [false]);
});
