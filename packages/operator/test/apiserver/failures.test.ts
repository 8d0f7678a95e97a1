import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImageSpec } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { defaultScenario } from '@terrain/embedded/testing';
import { Stage } from './stage.ts';
import { types } from './types.ts';
import { observing } from './watched.ts';

/** An importer that failed waits four times as long as a real one before it starts again: an operator on a busy machine sees it fail. */
const unhurried = {
  speed: 0.25,
  durations: { ...defaultScenario.durations, schedule: 5, validate: 5, import: 50, bind: 5, snapshot: 10, podStop: 5 },
};
const attempts = 2;

interface Case {
  readonly sim: string;
  readonly spec?: Override<VMDiskImageSpec>;
  /** Reason of Ready in the end. */
  readonly want: string;
  /** Why the last attempt failed. */
  readonly because?: string;
  /** Attempts that are made. */
  readonly tries: number;
  /** Downloads that start in one try: no failure is worth another before its attempt is over. */
  readonly starts: number;
}

const s3 = { sourceType: 's3' as const, secretRef: 'keys' };
const permanent = (sim: string, want: string, spec: Override<VMDiskImageSpec> = {}): Case => ({
  sim,
  want,
  tries: 1,
  starts: 1,
  spec,
});
const passing = (sim: string, because: string): Case => ({
  sim,
  want: 'RetryLimitReached',
  because,
  tries: attempts,
  starts: 1,
});

/** Told by the platform at once. */
const told: Record<string, Case> = {
  'http-404': permanent('http:404', 'SourceNotFound'),
  'http-410': permanent('http:410', 'SourceNotFound'),
  'http-403': permanent('http:403', 'SourceForbidden'),
  'http-401': permanent('http:401', 'SourceForbidden'),
  's3-missing': permanent('s3:NoSuchKey', 'SourceNotFound', s3),
  's3-denied': permanent('s3:AccessDenied', 'SourceForbidden', s3),
  'wrong-secret': permanent('s3:SignatureDoesNotMatch', 'SourceForbidden', s3),
  'wrong-checksum': permanent('checksum', 'ChecksumMismatch'),
  'too-small': permanent('too-small', 'DiskTooSmall'),
  'not-an-image': permanent('not-an-image', 'NotAnImage'),
  'http-500': passing('http:500', 'SourceUnreachable'),
  'http-429': passing('http:429', 'SourceUnreachable'),
  refused: passing('refused', 'SourceUnreachable'),
  'cut-off': passing('cut', 'SourceUnreachable'),
  // CDI answers with another pod, which the end of the attempt forestalls.
  'out-of-memory': passing('oom:forever', 'ImporterFailed'),
  'crash-loop': passing('crashloop', 'ImporterFailed'),
  'lost-claim': passing('lost', 'DataVolumeLost'),
};
/** Told by nobody, or taken back and tried again for ever: only a deadline ends them. */
const endless: Record<string, Case> = {
  'stuck-scheduling': { ...passing('stuck', 'NoProgress'), starts: 0 },
  stalled: passing('stall:30', 'NoProgress'),
  'snapshot-error': permanent('snapshot-error', 'SnapshotFailed'),
  'snapshot-never': permanent('snapshot-never', 'SnapshotFailed'),
};
const cases = { ...told, ...endless };

const policy = { concurrency: '50', retryLimit: String(attempts - 1), retryBackoffDuration: '100ms' };

test('every failure ends as it should, after as many downloads as it should', async (t) => {
  await using stage = await Stage.open({ scenario: unhurried, policy });
  const data = { accessKeyId: 'QUtJQQ==', secretKey: 'c2VjcmV0' };
  await stage
    .resource(types.secrets)
    .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace: stage.namespace }, data });
  await stage.startOperator();
  await observing(stage, async () => {
    for (const [name, { sim, spec }] of Object.entries(cases))
      await stage.createImage(name, { sim, ...(spec === undefined ? {} : { spec }) });
    // One that fails once and then works, one whose name is a status code, one that only waits.
    await stage.createImage('second-try', { sim: 'fail:1' });
    await stage.createImage('404');
    await stage.createImage('quota', { sim: 'quota' });
    await stage.phase('404', 'Succeeded');
    await stage.phase('second-try', 'Succeeded');
    await stage.reason('quota', 'QuotaExceeded');
    for (const name of Object.keys(told)) await stage.phase(name, 'Failed');
    await untilStuck(stage);
    // Not before all others have come to their end: on a busy machine a deadline this short would end any of them.
    await stage.setPolicy({ ...policy, noProgressTimeout: '1s' });
    for (const name of Object.keys(endless)) await stage.phase(name, 'Failed');
    await stage.until('all slots but that of the quota to be free', () =>
      [...stage.ledger().entries.values()].every(({ image }) => image.endsWith('/quota')),
    );
  });

  for (const [name, { want, because, tries, starts }] of Object.entries(cases))
    await t.test(name, () => {
      const image = stage.image(name);
      const { retry, conditions, history } = image?.status ?? {};
      assert.equal(conditions?.find(({ type }) => type === 'Ready')?.reason, want, image?.status?.message ?? '');
      assert.equal(conditions?.find(({ type }) => type === 'Stalled')?.status, 'True');
      assert.equal(retry?.lastReason, because ?? want, retry?.lastMessage ?? '');
      assert.equal(retry?.failures, tries, JSON.stringify(history));
      assert.equal(history?.length, tries);
      assert.equal(downloadsOf(stage, name), tries * starts, 'downloads started');
      const kept = stage
        .things(types.dataVolumes)
        .filter(
          ({ metadata }) => metadata.name?.startsWith(`${name}-`) === true && metadata.labels?.['pelotech.ot/image'] === name,
        );
      assert.equal(kept.length, want === 'SnapshotFailed' ? 1 : 0, 'only a complete download is kept');
    });

  await t.test('a failure that passes costs one attempt more', () => {
    assert.deepEqual(
      stage.image('second-try')?.status?.history?.map(({ result }) => result),
      ['Succeeded', 'SourceUnreachable'],
    );
    assert.equal(downloadsOf(stage, 'second-try'), 2);
  });
  await t.test('an image whose name is a status code is downloaded once', () => {
    assert.equal(stage.image('404')?.status?.phase, 'Succeeded');
    assert.equal(downloadsOf(stage, '404'), 1);
  });
  await t.test('quota counts no attempt', () => {
    const { retry } = stage.image('quota')?.status ?? {};
    assert.deepEqual([retry?.failures, retry?.gaveUp, retry?.lastReason], [undefined, undefined, 'QuotaExceeded']);
    assert.equal(downloadsOf(stage, 'quota'), 0);
  });
});

test('with one restart allowed, CDI’s second try after an OOM kill is waited for, and no third', async () => {
  await using stage = await Stage.open({ scenario: unhurried, policy: { ...policy, importRestarts: '1' } });
  await stage.startOperator();
  await observing(stage, async () => {
    await stage.createImage('never-enough', { sim: 'oom:forever' });
    await stage.createImage('enough-without-cache', { sim: 'oom' });
    await stage.phase('enough-without-cache', 'Succeeded');
    await stage.phase('never-enough', 'Failed');
  });
  const { status } = stage.image('enough-without-cache') ?? {};
  assert.deepEqual([status?.attempt?.number, downloadsOf(stage, 'enough-without-cache')], [1, 2]);
  const { retry, attempt } = stage.image('never-enough')?.status ?? {};
  assert.deepEqual([retry?.failures, retry?.lastReason, attempt?.kills], [attempts, 'ImporterFailed', 1]);
  assert.equal(downloadsOf(stage, 'never-enough'), attempts * 2);
});

function downloadsOf(stage: Stage, name: string): number | undefined {
  const image = stage.image(name);
  return image && stage.downloadsOf(image);
}

/** Waits until each of those that only a deadline ends is where it stands still. */
async function untilStuck(stage: Stage): Promise<void> {
  const volumeOf = (image: string) =>
    stage.things(types.dataVolumes).find(({ metadata }) => metadata.labels?.['pelotech.ot/image'] === image);
  await stage.until('a download that stands still', () => volumeOf('stalled')?.status?.progress === '30.00%');
  await stage.until('a pod nobody places', () =>
    (volumeOf('stuck-scheduling')?.status?.conditions as { reason?: string }[] | undefined)?.some(
      ({ reason }) => reason === 'Unschedulable',
    ),
  );
  for (const name of ['snapshot-error', 'snapshot-never'])
    await stage.until('a snapshot', () =>
      stage.things(types.snapshots).some(({ metadata }) => metadata.labels?.['pelotech.ot/image'] === name),
    );
}
