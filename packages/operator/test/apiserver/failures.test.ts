import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImageSpec } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { defaultScenario } from '@terrain/embedded/testing';
import { Stage, types } from './stage.ts';
import { observing } from './watched.ts';

const quick = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 200, bind: 20, snapshot: 50, podStop: 20 },
};
/** A whole download starts once for its head and once for its data. */
const wholeDownload = 2;
const attempts = 2;

interface Case {
  readonly sim: string;
  readonly spec?: Override<VMDiskImageSpec>;
  /** Reason of Ready in the end. */
  readonly want: string;
  /** Why the last attempt failed. */
  readonly because?: string;
  /** Attempts that reached the server. */
  readonly tries: number;
  /** Downloads that may start in one try. */
  readonly starts: number;
}

const s3 = { sourceType: 's3' as const, secretRef: 'keys' };
const permanent = (sim: string, want: string, starts = 1, spec: Override<VMDiskImageSpec> = {}): Case => ({
  sim,
  want,
  tries: 1,
  starts,
  spec,
});
const passing = (sim: string, because: string, starts: number): Case => ({
  sim,
  want: 'RetryLimitReached',
  because,
  tries: attempts,
  starts,
});

const cases: Record<string, Case> = {
  'http-404': permanent('http:404', 'SourceNotFound'),
  'http-410': permanent('http:410', 'SourceNotFound'),
  'http-403': permanent('http:403', 'SourceForbidden'),
  'http-401': permanent('http:401', 'SourceForbidden'),
  's3-missing': permanent('s3:NoSuchKey', 'SourceNotFound', 1, s3),
  's3-denied': permanent('s3:AccessDenied', 'SourceForbidden', 1, s3),
  'wrong-secret': permanent('s3:SignatureDoesNotMatch', 'SourceForbidden', 1, s3),
  'wrong-checksum': permanent('checksum', 'ChecksumMismatch', wholeDownload),
  'too-small': permanent('too-small', 'DiskTooSmall', wholeDownload),
  'not-an-image': permanent('not-an-image', 'NotAnImage'),
  'http-500': passing('http:500', 'SourceUnreachable', 1),
  'http-429': passing('http:429', 'SourceUnreachable', 1),
  refused: passing('refused', 'SourceUnreachable', 1),
  'cut-off': passing('cut', 'SourceUnreachable', wholeDownload),
  'out-of-memory': passing('oom:forever', 'ImporterFailed', wholeDownload),
  'crash-loop': passing('crashloop', 'ImporterFailed', 1),
  'stuck-scheduling': passing('stuck', 'NoProgress', 0),
  stalled: passing('stall:30', 'NoProgress', wholeDownload),
  'lost-claim': passing('lost', 'DataVolumeLost', wholeDownload),
  'snapshot-error': permanent('snapshot-error', 'SnapshotFailed', wholeDownload),
  'snapshot-never': permanent('snapshot-never', 'SnapshotFailed', wholeDownload),
};

test('every failure ends as it should, after no more downloads than it should', async (t) => {
  const policy = { concurrency: '50', retryLimit: String(attempts - 1), retryBackoffDuration: '100ms', noProgressTimeout: '10s' };
  await using stage = await Stage.open({ scenario: quick, policy });
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
    for (const name of Object.keys(cases)) await stage.phase(name, 'Failed');
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
      assert.equal(retry?.failures, tries);
      assert.equal(history?.length, tries);
      const { downloads } = stage.simulator.egress.of(image?.spec.url ?? '');
      assert.ok(downloads <= tries * starts, `${downloads} downloads started, ${tries * starts} are allowed`);
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
  });
  await t.test('quota counts no attempt', () => {
    const { retry, phase } = stage.image('quota')?.status ?? {};
    assert.deepEqual([retry?.failures, retry?.gaveUp, phase], [undefined, undefined, 'Queued']);
  });
});
