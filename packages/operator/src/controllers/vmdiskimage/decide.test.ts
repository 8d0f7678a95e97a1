import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sourceHash, type VMDiskImageStatus } from '@terrain/api';
import {
  aClaim,
  aCut,
  ago,
  anEntry,
  anImage,
  aSnapshot,
  aVolume,
  cancelled,
  cutNameOf,
  deleted,
  now,
  nowMs,
  paused,
  retried,
  synced,
  syncing,
  uid,
  volumeName,
} from '#testing/image-world.ts';
import { decide } from './decide.ts';
import type { Attempt } from './record.ts';
import type { Snapshot } from './snapshot.ts';
import type { Step } from './step.ts';

const failing = {
  status: 'False',
  reason: 'Error',
  message: 'Unable to connect to http data source: expected status code 200, got 503. Status: 503 x',
};
const killed = { status: 'False', reason: 'OOMKilled' };
const missing = { ...failing, message: failing.message.replaceAll('503', '404') };
const complete = { dataVolumes: [aVolume({ phase: 'Succeeded' })], claims: [aClaim()] };
/** The artifact of a day ago. */
const longSynced = synced({ artifact: { syncedAt: ago(90_000) } });
const otherSource = { url: 'https://images.example.com/other.qcow2' };
const otherHash = sourceHash({ ...anImage().spec, ...otherSource });

/** A step in one word, with what matters about it. */
function brief(snapshot: Snapshot): string {
  const { step } = decide(snapshot);
  switch (step.kind) {
    case 'wait':
    case 'failed':
      return `${step.kind} ${step.reason}`;
    case 'end':
      return `end ${step.outcome.kind} ${step.outcome.kind === 'failed' ? step.outcome.failure.reason : step.outcome.kind === 'withdrawn' ? step.outcome.reason : ''}`.trim();
    case 'queue':
      return `queue ${step.waiting.attempt}${step.waiting.isSettled ? '' : ' unsettled'}${step.isPolicyPaused ? ' paused' : ''}`;
    case 'cut':
      return `cut ${step.name.replace(/^.*-s/, 's')}`;
    case 'clear':
      return `clear${step.keepsDataVolume ? ' and keep' : ''}`;
    default:
      return step.kind;
  }
}

const cases: Record<string, { given: Snapshot; want: string }> = {
  // The artifact
  'artifact of this source, snapshot ready': {
    given: aSnapshot({ image: { status: synced() }, snapshots: [aCut()], ...complete }),
    want: 'steady',
  },
  'artifact and snapshot, the claim was removed by hand': {
    given: aSnapshot({ image: { status: synced() }, snapshots: [aCut()] }),
    want: 'steady',
  },
  'snapshot gone, its claim Bound': { given: aSnapshot({ image: { status: synced() }, ...complete }), want: 'cut s1' },
  'snapshot gone, DataVolume gone, its claim Bound (an old CDI removes it)': {
    given: aSnapshot({ image: { status: synced() }, claims: [aClaim()] }),
    want: 'cut s1',
  },
  'snapshot being deleted, its claim Bound': {
    given: aSnapshot({ image: { status: synced() }, ...complete, snapshots: [aCut({ isGoing: true })] }),
    want: 'cut s2',
  },
  'snapshot not ready yet': {
    given: aSnapshot({ image: { status: synced() }, ...complete, snapshots: [aCut({ ready: false })] }),
    want: 'cutting',
  },
  'snapshot with an error, not for long': {
    given: aSnapshot({ image: { status: synced() }, ...complete, snapshots: [aCut({ error: 'x', age: 59 })] }),
    want: 'cutting',
  },
  'snapshot a minute old, with an error that says no time': {
    given: aSnapshot({ image: { status: synced() }, ...complete, snapshots: [aCut({ error: 'x', age: 61 })] }),
    want: 'cut s2',
  },
  'old snapshot with an error, not for long': {
    given: aSnapshot({
      image: { status: longSynced },
      ...complete,
      snapshots: [aCut({ error: 'x', age: 90_001, errorAge: 59 })],
    }),
    want: 'cutting',
  },
  'old snapshot that an error made unready, not for long': {
    given: aSnapshot({
      image: { status: longSynced },
      ...complete,
      snapshots: [aCut({ ready: false, error: 'x', age: 90_001, errorAge: 59 })],
    }),
    want: 'cutting',
  },
  'old snapshot with an error for a minute': {
    given: aSnapshot({
      image: { status: longSynced },
      ...complete,
      snapshots: [aCut({ error: 'x', age: 90_001, errorAge: 60 })],
    }),
    want: 'cut s2',
  },
  'snapshot cut again, never ready, with one error after the other': {
    given: aSnapshot({
      image: { status: longSynced },
      ...complete,
      snapshots: [aCut({ ready: false, error: 'x', age: 1800, errorAge: 1 })],
    }),
    want: 'cut s2',
  },
  'snapshot never ready': {
    given: aSnapshot({ image: { status: synced() }, ...complete, snapshots: [aCut({ ready: false, age: 1801 })] }),
    want: 'cut s2',
  },
  'the third snapshot in a row failed': {
    given: aSnapshot({
      image: { status: synced({ artifact: { volumeSnapshot: cutNameOf(1, 3) } }) },
      ...complete,
      snapshots: [aCut({ cut: 3, error: 'x', age: 61 })],
    }),
    want: 'failed SnapshotFailed',
  },
  'after three failed snapshots and a retry': {
    given: aSnapshot({
      image: {
        metadata: retried('again'),
        status: synced({
          artifact: { volumeSnapshot: cutNameOf(1, 4) },
          retry: { gaveUp: { at: ago(60), reason: 'SnapshotFailed' } },
        }),
      },
      ...complete,
    }),
    want: 'cut s4',
  },
  'snapshot and claim gone': { given: aSnapshot({ image: { status: synced() } }), want: 'lose' },
  'snapshot gone and claim lost': {
    given: aSnapshot({ image: { status: synced() }, claims: [aClaim({ phase: 'Lost' })] }),
    want: 'lose',
  },
  'snapshot gone and claim going': {
    given: aSnapshot({ image: { status: synced() }, claims: [aClaim({ isGoing: true })] }),
    want: 'lose',
  },
  'snapshots are not served at the moment: nothing is called lost': {
    given: aSnapshot({ image: { status: synced() }, platform: { ...aSnapshot().platform, hasSnapshots: false } }),
    want: 'wait PlatformMissing',
  },
  // The queue
  'new': { given: aSnapshot(), want: 'queue 1' },
  'new, concurrency 0': { given: aSnapshot({ policy: { concurrency: '0' } }), want: 'queue 1 paused' },
  'numbers go on after the last attempt': {
    given: aSnapshot({ image: { status: syncing({ attempt: { number: 6 }, retry: { lastAttempt: 6 } }) } }),
    want: 'queue 7',
  },
  'numbers go on after a DataVolume whose status was lost': {
    given: aSnapshot({ dataVolumes: [aVolume({ attempt: 8, phase: 'Failed' })] }),
    want: 'queue 9',
  },
  'the Secret has not been read yet': { given: aSnapshot({ secret: 'unknown' }), want: 'queue 1 unsettled' },
  'the source changed': {
    given: aSnapshot({ image: { status: synced(), spec: otherSource }, snapshots: [aCut()] }),
    want: 'queue 2',
  },
  'only retain, name and secretRef changed': {
    given: aSnapshot({ image: { status: synced(), spec: { retain: true, name: 'x', secretRef: 'y' } }, snapshots: [aCut()] }),
    want: 'steady',
  },
  // Waiting
  'CDI is not installed': {
    given: aSnapshot({ platform: { ...aSnapshot().platform, hasDataVolumes: false } }),
    want: 'wait PlatformMissing',
  },
  's3 without a Secret': { given: aSnapshot({ image: { spec: { sourceType: 's3' } } }), want: 'wait SecretMissing' },
  'the Secret is unusable': {
    given: aSnapshot({ secret: { reason: 'SecretInvalid', message: 'm' } }),
    want: 'wait SecretInvalid',
  },
  'the certificates are missing': {
    given: aSnapshot({ certConfigMap: { reason: 'CertConfigMapMissing', message: 'm' } }),
    want: 'wait CertConfigMapMissing',
  },
  'no storage class': { given: aSnapshot({ image: { spec: { storageClass: 'none' } } }), want: 'wait StorageClassMissing' },
  'no snapshot class': { given: aSnapshot({ image: { spec: { snapshotClass: 'none' } } }), want: 'wait SnapshotClassMissing' },
  paused: { given: aSnapshot({ image: { metadata: paused } }), want: 'wait Paused' },
  'paused, but complete': {
    given: aSnapshot({ image: { metadata: paused, status: synced() }, snapshots: [aCut()] }),
    want: 'steady',
  },
  'paused in a namespace on its way out': {
    given: aSnapshot({ image: { metadata: paused }, namespace: { ...aSnapshot().namespace, isTerminating: true } }),
    want: 'queue 1',
  },
  'the ledger cannot be read': { given: aSnapshot({ slot: { ledger: 'unreadable', message: 'm' } }), want: 'wait Queued' },
  'in backoff': {
    given: aSnapshot({
      image: {
        status: syncing({ retry: { lastAttempt: 1, failures: 1, lastReason: 'SourceUnreachable', nextRetryAt: ago(-60) } }),
      },
    }),
    want: 'wait RetryBackoff',
  },
  'backoff over': {
    given: aSnapshot({ image: { status: syncing({ retry: { lastAttempt: 1, failures: 1, nextRetryAt: ago(0) } }) } }),
    want: 'queue 2',
  },
  'quota, a while ago': {
    given: aSnapshot({
      image: { status: syncing({ retry: { lastAttempt: 1, lastReason: 'QuotaExceeded', nextRetryAt: ago(-60) } }) },
    }),
    want: 'wait QuotaExceeded',
  },
  'retry asked for during backoff': {
    given: aSnapshot({
      image: { metadata: retried('a'), status: syncing({ retry: { lastAttempt: 1, failures: 1, nextRetryAt: ago(-60) } }) },
    }),
    want: 'queue 2',
  },
  // Given up
  'given up': {
    given: aSnapshot({
      image: {
        status: syncing({ retry: { lastAttempt: 3, failures: 3, gaveUp: { at: ago(60), reason: 'RetryLimitReached' } } }),
      },
    }),
    want: 'failed RetryLimitReached',
  },
  'given up, and retryLimit was raised': {
    given: aSnapshot({
      policy: { retryLimit: '9' },
      image: {
        status: syncing({ retry: { lastAttempt: 3, failures: 3, gaveUp: { at: ago(60), reason: 'RetryLimitReached' } } }),
      },
    }),
    want: 'failed RetryLimitReached',
  },
  'given up, and retain was toggled': {
    given: aSnapshot({
      image: {
        spec: { retain: true },
        status: syncing({ retry: { lastAttempt: 1, gaveUp: { at: ago(60), reason: 'SourceNotFound' } } }),
      },
    }),
    want: 'failed SourceNotFound',
  },
  'given up, and the source changed': {
    given: aSnapshot({
      image: {
        spec: otherSource,
        status: syncing({ retry: { lastAttempt: 1, gaveUp: { at: ago(60), reason: 'SourceNotFound' } } }),
      },
    }),
    want: 'queue 2',
  },
  'given up, and retried': {
    given: aSnapshot({
      image: {
        metadata: retried('b'),
        status: syncing({ retry: { lastAttempt: 1, token: 'a', gaveUp: { at: ago(60), reason: 'SourceNotFound' } } }),
      },
    }),
    want: 'queue 2',
  },
  'given up, with a retry that was honoured before': {
    given: aSnapshot({
      image: {
        metadata: retried('a'),
        status: syncing({ retry: { lastAttempt: 1, token: 'a', gaveUp: { at: ago(60), reason: 'SourceNotFound' } } }),
      },
    }),
    want: 'failed SourceNotFound',
  },
  'an update was given up': {
    given: aSnapshot({
      image: {
        spec: otherSource,
        status: synced({ retry: { sourceHash: otherHash, lastAttempt: 2, gaveUp: { at: ago(9), reason: 'SourceNotFound' } } }),
      },
      snapshots: [aCut()],
    }),
    want: 'failed SourceNotFound',
  },
  'cancelled while queued': { given: aSnapshot({ image: { metadata: cancelled } }), want: 'failed Cancelled' },
  'cancelled after it was complete': {
    given: aSnapshot({ image: { metadata: cancelled, status: synced() }, snapshots: [aCut()] }),
    want: 'steady',
  },
  // Admitted
  admitted: { given: aSnapshot({ entry: anEntry() }), want: 'begin' },
  'admitted, the Secret has not been read': { given: aSnapshot({ entry: anEntry(), secret: 'unknown' }), want: 'check' },
  'admitted, the Secret is gone meanwhile': {
    given: aSnapshot({ entry: anEntry(), secret: { reason: 'SecretMissing', message: 'm' } }),
    want: 'end withdrawn SecretMissing',
  },
  'admitted, paused meanwhile': {
    given: aSnapshot({ entry: anEntry(), image: { metadata: paused } }),
    want: 'end withdrawn Paused',
  },
  'admitted, cancelled meanwhile': {
    given: aSnapshot({ entry: anEntry(), image: { metadata: cancelled } }),
    want: 'end withdrawn Cancelled',
  },
  'admitted, changed back to what is there': {
    given: aSnapshot({ entry: anEntry({ attempt: 2 }), image: { status: synced() }, snapshots: [aCut()] }),
    want: 'end withdrawn Interrupted',
  },
  'admitted, but already closing': {
    given: aSnapshot({ entry: anEntry({ state: 'closing' }) }),
    want: 'end withdrawn Interrupted',
  },
  'begun, no DataVolume was ever seen': { given: aSnapshot({ entry: anEntry(), image: { status: syncing() } }), want: 'create' },
  'begun, no DataVolume, the Secret has to be read again': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, secret: 'unknown' }),
    want: 'check',
  },
  'begun, the class vanished before the download': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      platform: { ...aSnapshot().platform, storageClasses: [] },
    }),
    want: 'end withdrawn StorageClassMissing',
  },
  'begun, and no DataVolume could be made for as long as a download may stand still': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing({ attempt: { startedAt: ago(1800) } }) } }),
    want: 'end failed RefusedByPlatform',
  },
  'begun, and there is still time to make a DataVolume': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing({ attempt: { startedAt: ago(1799) } }) } }),
    want: 'create',
  },
  'begun, and no DataVolume could be made for as long as an attempt may take': {
    given: aSnapshot({
      policy: { attemptTimeout: '10m' },
      entry: anEntry(),
      image: { status: syncing({ attempt: { startedAt: ago(600) } }) },
    }),
    want: 'end failed RefusedByPlatform',
  },
  'a DataVolume that could be made only late has its own time to make progress': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { startedAt: ago(3600) } }) },
      dataVolumes: [aVolume({ phase: 'ImportScheduled', running: { status: 'False', reason: 'ContainerCreating' }, age: 1799 })],
    }),
    want: 'importing',
  },
  'begun, paused before the download': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing(), metadata: paused } }),
    want: 'end withdrawn Paused',
  },
  'begun, a DataVolume was recorded and is gone': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing({ attempt: { dataVolumeUID: 'volume-1' } }) } }),
    want: 'end failed DataVolumeLost',
  },
  'begun, this process saw a DataVolume and it is gone': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, memory: { dataVolumeUid: 'volume-1' } }),
    want: 'end failed DataVolumeLost',
  },
  'begun, closing, no DataVolume: never create': {
    given: aSnapshot({ entry: anEntry({ state: 'closing' }), image: { status: syncing() } }),
    want: 'end withdrawn Interrupted',
  },
  'a DataVolume of this number but another source is never taken over': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume({ hash: 'other' })] }),
    want: 'create',
  },
  // Importing
  importing: {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume()] }),
    want: 'importing',
  },
  'the second pod, for scratch space': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [aVolume({ phase: 'ImportScheduled', running: { status: 'False', reason: 'Scratch space required' } })],
    }),
    want: 'importing',
  },
  'Succeeded, the claim is not Bound yet': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [aVolume({ phase: 'Succeeded' })],
      claims: [aClaim({ phase: 'Pending' })],
    }),
    want: 'importing',
  },
  'importing, paused': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing(), metadata: paused }, dataVolumes: [aVolume()] }),
    want: 'wait Paused',
  },
  'failing while paused is stopped all the same': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing(), metadata: paused },
      dataVolumes: [aVolume({ running: failing })],
    }),
    want: 'end failed SourceUnreachable',
  },
  'the source changes while paused': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing(), metadata: paused, spec: otherSource },
      dataVolumes: [aVolume()],
    }),
    want: 'wait Paused',
  },
  '404': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume({ running: missing })] }),
    want: 'end failed SourceNotFound',
  },
  'the importer was restarted': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume({ restartCount: 1 })] }),
    want: 'end failed ImporterFailed',
  },
  'the importer was restarted, and had said why': {
    given: {
      ...aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume({ restartCount: 1 })] }),
      importerWords: 'Unable to connect to http data source: expected status code 200, got 404. Status: 404 Not Found',
    },
    want: 'end failed SourceNotFound',
  },
  'the importer was restarted, which the policy allows': {
    given: aSnapshot({
      policy: { importRestarts: '1' },
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [aVolume({ restartCount: 1 })],
    }),
    want: 'importing',
  },
  'one restart too many, with the cause seen before': {
    given: aSnapshot({
      policy: { importRestarts: '1' },
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [aVolume({ restartCount: 2 })],
      memory: { failure: { class: 'retryable', reason: 'SourceUnreachable', message: '503' } },
    }),
    want: 'end failed SourceUnreachable',
  },
  'one restart too many, and only the cause of an earlier attempt is known': {
    given: aSnapshot({
      policy: { importRestarts: '1' },
      entry: anEntry(),
      image: { status: syncing({ retry: { lastReason: 'QuotaExceeded', lastMessage: 'no room' } }) },
      dataVolumes: [aVolume({ restartCount: 2 })],
    }),
    want: 'end failed ImporterFailed',
  },
  'killed for its memory, which CDI answers with another try': {
    given: aSnapshot({
      policy: { importRestarts: '1' },
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [aVolume({ running: killed })],
    }),
    want: 'importing',
  },
  'killed for its memory again, as the status knows': {
    given: aSnapshot({
      policy: { importRestarts: '1' },
      entry: anEntry(),
      image: { status: syncing({ attempt: { kills: 1 } }) },
      dataVolumes: [aVolume({ running: killed })],
    }),
    want: 'end failed ImporterFailed',
  },
  'killed for its memory again, as only this process has seen': {
    given: aSnapshot({
      policy: { importRestarts: '1' },
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [aVolume({ running: killed })],
      memory: { kills: 1 },
    }),
    want: 'end failed ImporterFailed',
  },
  'the download began again': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [aVolume({ progress: '2.00%' })],
      memory: { falls: 1 },
    }),
    want: 'end failed ImporterFailed',
  },
  'waited for its slot longer than an attempt may take: only the time with the slot counts': {
    given: aSnapshot({
      entry: anEntry({ since: ago(5) }),
      image: { status: syncing({ queuedAt: ago(999_999), attempt: { startedAt: ago(5) } }) },
      dataVolumes: [aVolume({ progress: '1.00%' })],
    }),
    want: 'importing',
  },
  'the attempt takes too long': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { startedAt: ago(21_600) } }) },
      dataVolumes: [aVolume()],
      memory: { progressedAtMs: nowMs },
    }),
    want: 'end failed AttemptTimedOut',
  },
  'no progress for too long': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { startedAt: ago(1800) } }) },
      dataVolumes: [aVolume({ progress: '7.00%', age: 1800 })],
    }),
    want: 'end failed NoProgress',
  },
  'no progress since it was last reported': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { startedAt: ago(3600), progressedAt: ago(1801) } }) },
      dataVolumes: [aVolume({ progress: '7.00%', age: 1800 })],
    }),
    want: 'end failed NoProgress',
  },
  'stuck in scheduling': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { startedAt: ago(1801) } }) },
      dataVolumes: [
        aVolume({ phase: 'ImportScheduled', progress: 'N/A', running: { status: 'False', reason: 'Unschedulable' }, age: 1800 }),
      ],
    }),
    want: 'end failed NoProgress',
  },
  'running, but nobody reports progress: not killed for that': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { startedAt: ago(1801) } }) },
      dataVolumes: [aVolume({ progress: 'N/A' })],
    }),
    want: 'importing',
  },
  'moving less than a per cent in half an hour is moving': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { startedAt: ago(9000), progressedAt: ago(3600) } }) },
      dataVolumes: [aVolume({ progress: '7.02%' })],
      memory: { progressedAtMs: nowMs - 60_000 },
    }),
    want: 'importing',
  },
  quota: {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [
        {
          ...aVolume(),
          status: { phase: 'Pending', conditions: [{ type: 'Bound', status: 'False', reason: 'ErrExceededQuota' }] },
        },
      ],
    }),
    want: 'end failed QuotaExceeded',
  },
  cancelled: {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing(), metadata: cancelled }, dataVolumes: [aVolume()] }),
    want: 'end cancelled',
  },
  'the source changes in mid-sync': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing(), spec: otherSource }, dataVolumes: [aVolume()] }),
    want: 'end sourceChanged',
  },
  'the DataVolume is deleted by hand': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume({ isGoing: true })] }),
    want: 'end failed DataVolumeLost',
  },
  'the DataVolume was replaced by hand': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { dataVolumeUID: 'first' } }) },
      dataVolumes: [aVolume({ uid: 'second' })],
    }),
    want: 'end failed DataVolumeLost',
  },
  // Snapshotting
  complete: { given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete }), want: 'cut s1' },
  'complete, but paused: the slot goes to others': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing(), metadata: paused }, ...complete }),
    want: 'yieldSlot',
  },
  'the snapshot is being cut': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete, snapshots: [aCut({ ready: false })] }),
    want: 'cutting',
  },
  'the first cut failed': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete, snapshots: [aCut({ error: 'x', age: 61 })] }),
    want: 'cut s2',
  },
  'the cut takes long and has an error for a moment': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      ...complete,
      snapshots: [aCut({ ready: false, error: 'throttled', age: 300, errorAge: 1 })],
    }),
    want: 'cutting',
  },
  'the cut has an error for a minute': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      ...complete,
      snapshots: [aCut({ ready: false, error: 'throttled', age: 300, errorAge: 60 })],
    }),
    want: 'cut s2',
  },
  'the cut was never ready, with one error after the other': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      ...complete,
      snapshots: [aCut({ ready: false, error: 'throttled', age: 1800, errorAge: 1 })],
    }),
    want: 'cut s2',
  },
  'the third cut failed': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { volumeSnapshot: cutNameOf(1, 3) } }) },
      ...complete,
      snapshots: [aCut({ cut: 3, error: 'x', age: 61 })],
    }),
    want: 'end failed SnapshotFailed',
  },
  'the snapshot is ready': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete, snapshots: [aCut()] }),
    want: 'succeed',
  },
  'the attempt takes too long, but only the snapshot is missing: the download is not thrown away': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing({ attempt: { startedAt: ago(99_999) } }) }, ...complete }),
    want: 'cut s1',
  },
  'the snapshot could not be cut; retried: no slot, no download': {
    given: aSnapshot({
      image: {
        metadata: retried('a'),
        status: syncing({
          attempt: { volumeSnapshot: cutNameOf(1, 4) },
          retry: { lastAttempt: 1, gaveUp: { at: ago(9), reason: 'SnapshotFailed' } },
        }),
      },
      ...complete,
    }),
    want: 'cut s4',
  },
  // Letting go of the slot
  'over, the slot still held': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing({ retry: { lastAttempt: 1 } }) }, dataVolumes: [aVolume()] }),
    want: 'clear',
  },
  'complete, the slot still held': {
    given: aSnapshot({ entry: anEntry(), image: { status: synced() }, ...complete, snapshots: [aCut()] }),
    want: 'clear and keep',
  },
  'given up for its snapshot: the volume is kept': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ retry: { lastAttempt: 1, gaveUp: { at: now, reason: 'SnapshotFailed' } } }) },
      ...complete,
    }),
    want: 'clear and keep',
  },
  'over by a change of source: the complete volume of the former source goes': {
    given: aSnapshot({
      entry: anEntry(),
      image: { spec: otherSource, status: syncing({ retry: { lastAttempt: 1 } }) },
      ...complete,
    }),
    want: 'clear',
  },
  'an entry older than the attempt': {
    given: aSnapshot({ entry: anEntry({ attempt: 1 }), image: { status: syncing({ attempt: { number: 2 } }) } }),
    want: 'clear',
  },
  'cancelled and over, the slot still held': {
    given: aSnapshot({
      entry: anEntry({ state: 'closing' }),
      image: { metadata: cancelled, status: syncing({ retry: { lastAttempt: 1 } }) },
    }),
    want: 'clear',
  },
  // Without a slot
  'running without an entry': { given: aSnapshot({ image: { status: syncing() }, dataVolumes: [aVolume()] }), want: 'adopt' },
  'running without an entry, paused: still counted': {
    given: aSnapshot({ image: { status: syncing(), metadata: paused }, dataVolumes: [aVolume()] }),
    want: 'adopt',
  },
  'begun, but neither entry nor DataVolume': {
    given: aSnapshot({ image: { status: syncing() } }),
    want: 'end withdrawn Interrupted',
  },
  'neither entry nor DataVolume, though there was one': {
    given: aSnapshot({ image: { status: syncing({ attempt: { dataVolumeUID: 'x' } }) } }),
    want: 'end failed DataVolumeLost',
  },
  'failed without an entry': {
    given: aSnapshot({ image: { status: syncing() }, dataVolumes: [aVolume({ running: missing })] }),
    want: 'end failed SourceNotFound',
  },
  'cancelled without an entry': {
    given: aSnapshot({ image: { status: syncing(), metadata: cancelled }, dataVolumes: [aVolume()] }),
    want: 'end cancelled',
  },
  'another source without an entry': {
    given: aSnapshot({ image: { status: syncing(), spec: otherSource }, dataVolumes: [aVolume()] }),
    want: 'end sourceChanged',
  },
  'complete without an entry': { given: aSnapshot({ image: { status: syncing() }, ...complete }), want: 'cut s1' },
  'complete without an entry, paused': {
    given: aSnapshot({ image: { status: syncing(), metadata: paused }, ...complete }),
    want: 'wait Paused',
  },
  'complete and cut without an entry': {
    given: aSnapshot({ image: { status: syncing() }, ...complete, snapshots: [aCut()] }),
    want: 'succeed',
  },
  'complete, but the status was lost': { given: aSnapshot({ ...complete, snapshots: [aCut()] }), want: 'succeed' },
  // Deletion
  deleted: { given: aSnapshot({ image: { metadata: deleted } }), want: 'remove' },
  'deleted in mid-sync': {
    given: aSnapshot({ entry: anEntry(), image: { metadata: deleted, status: syncing() }, dataVolumes: [aVolume()] }),
    want: 'remove',
  },
  'deleted while in use': {
    given: aSnapshot({ image: { metadata: deleted }, references: { count: 1, names: ['a/b'], asOf: '1', waiting: undefined } }),
    want: 'inUse',
  },
  'deleted in mid-sync while in use': {
    given: aSnapshot({
      entry: anEntry(),
      image: { metadata: deleted, status: syncing() },
      dataVolumes: [aVolume()],
      references: { count: 1, names: ['a/b'], asOf: '1', waiting: undefined },
    }),
    want: 'inUse',
  },
  'deleted while in use, with its namespace': {
    given: aSnapshot({
      image: { metadata: deleted },
      references: { count: 1, names: ['a/b'], asOf: '1', waiting: undefined },
      namespace: { ...aSnapshot().namespace, isTerminating: true },
    }),
    want: 'remove',
  },
  'deleted while paused': { given: aSnapshot({ image: { metadata: { ...deleted, ...paused } } }), want: 'wait Paused' },
  'deleted while paused, its attempt over: the slot is not held': {
    given: aSnapshot({
      entry: anEntry(),
      image: { metadata: { ...deleted, ...paused }, status: syncing({ retry: { lastAttempt: 1 } }) },
      dataVolumes: [aVolume()],
    }),
    want: 'clear',
  },
  'deleted while paused, not begun: the slot is not held': {
    given: aSnapshot({ entry: anEntry(), image: { metadata: { ...deleted, ...paused } } }),
    want: 'end withdrawn Paused',
  },
  'deleted while paused, with its namespace': {
    given: aSnapshot({
      image: { metadata: { ...deleted, ...paused } },
      namespace: { ...aSnapshot().namespace, isTerminating: true },
    }),
    want: 'remove',
  },
};
for (const [name, { given, want }] of Object.entries(cases)) test(`step: ${name}`, () => assert.equal(brief(given), want));

test('every step is reached, and the table in step.ts names every step', () => {
  const source = readFileSync(new URL('./step.ts', import.meta.url), 'utf8');
  const kinds = [...source.matchAll(/\| \{ readonly kind: '(\w+)'/g)].map(([, kind = '']) => kind);
  const reached = new Set<string>(Object.values(cases).map(({ given }) => decide(given).step.kind));
  assert.deepEqual([...new Set(kinds)].sort(), [...reached].sort());
  const rows = source
    .split('\n')
    .filter((line) => line.startsWith(' * |'))
    .join('\n');
  for (const kind of kinds) assert.match(rows, new RegExp(`\\| ${kind}\\b|\\b${kind} after`), `no row for ${kind}`);
});

test('an image on its way out knows the slot it has to give back, also while machines refer to it', () => {
  for (const name of ['deleted in mid-sync', 'deleted in mid-sync while in use']) {
    const { step } = decide(cases[name]?.given as Snapshot);
    assert.deepEqual('entry' in step && step.entry, anEntry(), name);
  }
});

test('a step is decided from the world, never from phase, conditions or message', () => {
  for (const [name, { given }] of Object.entries(cases)) {
    const lies: VMDiskImageStatus = {
      phase: 'Succeeded',
      message: 'all is well',
      conditions: [],
      observedGeneration: 99,
      progress: '100%',
    } as const;
    const told: Snapshot = { ...given, image: { ...given.image, status: { ...given.image.status, ...lies } } };
    assert.deepEqual(decide(told).step, decide(given).step, name);
  }
});

test('deciding again from the record decided on does not decide otherwise', () => {
  const isLasting = (step: Step): boolean =>
    ['steady', 'wait', 'queue', 'importing', 'cutting', 'failed', 'remove', 'inUse', 'clear', 'adopt', 'cut', 'create'].includes(
      step.kind,
    );
  for (const [name, { given }] of Object.entries(cases)) {
    const first = decide(given);
    if (!isLasting(first.step)) continue;
    const { queuedAt, ticket, attempt, retry, artifact, history } = first.record;
    const status = { queuedAt, ticket, retry, ...(attempt && { attempt }), ...(artifact && { artifact }), history: [...history] };
    const second = decide({ ...given, image: { ...given.image, status } });
    assert.equal(second.step.kind, first.step.kind, name);
    assert.deepEqual(second.record, first.record, name);
  }
});

test('a pause does not stop the clock of a download: the pass that ends it comes by itself', () => {
  const held = (metadata: typeof paused) =>
    decide(
      aSnapshot({
        entry: anEntry(),
        image: { metadata, status: syncing({ attempt: { startedAt: ago(1500) } }) },
        dataVolumes: [aVolume({ phase: 'ImportScheduled', running: { status: 'False', reason: 'Unschedulable' }, age: 1500 })],
      }),
    ).step;
  for (const step of [held(paused), held({ ...deleted, ...paused })])
    assert.deepEqual(
      [step.kind, step.kind === 'wait' && step.reason, step.kind === 'wait' && step.afterMs],
      ['wait', 'Paused', 300_000],
    );
});

test('the place in the queue', () => {
  const place = (given: Snapshot) => {
    const { step } = decide(given);
    assert.equal(step.kind, 'queue');
    return step.kind === 'queue' ? [step.waiting.queuedAtMs, step.waiting.ticket] : [];
  };
  assert.deepEqual(
    place(aSnapshot({ image: { metadata: { resourceVersion: '77' } } })),
    [Date.parse('2026-01-01T00:00:00Z'), 77n],
    'a new image: creation, version first seen',
  );
  assert.deepEqual(
    place(
      aSnapshot({ image: { metadata: { resourceVersion: '99' }, status: syncing({ ticket: '77', retry: { lastAttempt: 1 } }) } }),
    ),
    [Date.parse('2026-01-01T00:00:00Z'), 77n],
    'kept as stored',
  );
  assert.deepEqual(
    place(aSnapshot({ image: { status: synced(), spec: otherSource }, snapshots: [aCut()] })),
    [nowMs, 1n],
    'a new source: when it was first seen',
  );
  assert.deepEqual(
    place(
      aSnapshot({
        image: { metadata: retried('b'), status: syncing({ retry: { lastAttempt: 1, gaveUp: { at: ago(60), reason: 'X' } } }) },
      }),
    ),
    [nowMs, 1n],
    'revived: at the end',
  );
  assert.deepEqual(
    place(aSnapshot({ image: { metadata: retried('b'), status: syncing({ retry: { lastAttempt: 1 } }) } })),
    [Date.parse('2026-01-01T00:00:00Z'), 1n],
    'a retry asked for while queued moves nobody',
  );
});

test('the names in play', () => {
  const begin = decide(aSnapshot({ entry: anEntry({ attempt: 3 }) })).step;
  assert.deepEqual(begin.kind === 'begin' && begin.attempt, {
    number: 3,
    sourceHash: aVolume().metadata.labels?.['pelotech.ot/source-hash'],
    startedAt: ago(10),
    dataVolume: `debian-${uid.slice(0, 8)}-3`,
  });
  assert.equal(volumeName(3), `debian-${uid.slice(0, 8)}-3`);
});

test('numbers of attempts never go back, also when the volume of an earlier one is of use again', () => {
  const attempt = { number: 3, dataVolume: volumeName(3), sourceHash: otherHash };
  const { record, step } = decide(
    aSnapshot({
      image: { status: syncing({ attempt, retry: { lastAttempt: 3 } }) },
      ...complete,
      snapshots: [aCut({ isGoing: true })],
    }),
  );
  assert.deepEqual([step.kind, record.attempt?.number, record.attempt?.volumeSnapshot], ['cut', 3, cutNameOf(1, 2)]);
});

test('what no DataVolume counts is counted in the status, so that another process knows', () => {
  const world = (attempt: Partial<Attempt>): Snapshot =>
    aSnapshot({
      policy: { importRestarts: '5' },
      entry: anEntry(),
      image: { status: syncing({ attempt }) },
      dataVolumes: [aVolume()],
      memory: { kills: 2, falls: 1 },
    });
  const counted = (attempt: Partial<Attempt>) => {
    const { kills, falls } = decide(world(attempt)).record.attempt ?? {};
    return [kills, falls];
  };
  assert.deepEqual(counted({}), [2, 1]);
  assert.deepEqual(counted({ kills: 3, falls: 4 }), [3, 4], 'never less than was counted before');
});

test('a restart without a word of this attempt is asked about, whatever an earlier attempt had said', () => {
  const { step } = decide(
    aSnapshot({
      policy: { importRestarts: '1' },
      entry: anEntry({ attempt: 2 }),
      image: {
        status: syncing({
          attempt: { number: 2, dataVolume: volumeName(2) },
          retry: { lastAttempt: 1, failures: 1, lastReason: 'SourceUnreachable', lastMessage: '503' },
        }),
      },
      dataVolumes: [aVolume({ attempt: 2, restartCount: 2 })],
    }),
  );
  assert.equal(step.kind === 'end' && step.outcome.kind === 'failed' && step.outcome.failure.isUntold, true);
});

test('an attempt whose DataVolume could not be made ends after a live look, is not counted, and says where to look', () => {
  const { step, record } = decide(
    aSnapshot({ entry: anEntry(), image: { status: syncing({ attempt: { startedAt: ago(1800) } }) } }),
  );
  assert.deepEqual(step.kind === 'end' && [step.isGone, step.outcome], [
    true,
    {
      kind: 'failed',
      failure: {
        class: 'wait',
        reason: 'RefusedByPlatform',
        message: `DataVolume ${volumeName(1)} could not be created within 30 min of getting its slot: the log of the operator tells what the API server answered`,
      },
    },
  ]);
  const { failures, lastAttempt, nextRetryAt } = record.retry;
  assert.deepEqual([failures, lastAttempt, nextRetryAt], [undefined, 1, ago(-300)]);
});

test('the error of a snapshot is looked at again when its time is over', () => {
  const untilMs = (age: number, errorAge: number): number | false => {
    const snapshots = [aCut({ ready: false, error: 'throttled', age, errorAge })];
    const { step } = decide(aSnapshot({ entry: anEntry(), image: { status: syncing() }, ...complete, snapshots }));
    return step.kind === 'cutting' && step.afterMs;
  };
  assert.equal(untilMs(300, 20), 40_000);
  assert.equal(untilMs(1790, 20), 10_000, 'nor longer than a snapshot may take');
});
