import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ForeignObjectError, type KubeObject, type StatusBody } from '@terrain/runtime';
import type { DataVolume } from './cdi.ts';
import { dataVolumeApiVersion } from './cdi.ts';
import { type Failure, failureTable, type Hearsay, judgeImport, shorten, shownFailure } from './failure.ts';
import { judgeRefusal } from './refusal.ts';

type Running = { status?: string; reason?: string; message?: string };

function aDataVolume(
  running: Running = {},
  rest: { bound?: string; boundMessage?: string; phase?: string; restartCount?: number } = {},
): DataVolume {
  return {
    apiVersion: dataVolumeApiVersion,
    kind: 'DataVolume',
    metadata: { name: 'img-404-5f0c1a2b-1', namespace: 'farm' },
    spec: {},
    status: {
      phase: rest.phase ?? 'ImportInProgress',
      ...(rest.restartCount === undefined ? {} : { restartCount: rest.restartCount }),
      conditions: [
        {
          type: 'Bound',
          status: 'False',
          reason: rest.bound ?? 'Pending',
          message: rest.boundMessage ?? 'PVC img-404-5f0c1a2b-1 Pending',
        },
        { type: 'Ready', status: 'False', reason: 'TransferRunning' },
        { type: 'Running', status: 'False', ...running },
      ],
    },
  };
}

const error = (message: string): DataVolume => aDataVolume({ reason: 'Error', message });
const http = (code: number, source = 'http'): DataVolume =>
  error(`Unable to connect to ${source} data source: expected status code 200, got ${code}. Status: ${code} Whatever`);
const s3 = (code: string): DataVolume =>
  error(
    `Unable to connect to s3 data source: could not get s3 object: "b/images/x.qcow2": ${code}: Words.\n\tstatus code: 404, request id: A1`,
  );
const pull = (cause: string): DataVolume =>
  aDataVolume({
    reason: 'ImagePullFailed',
    message: `Unable to process data: Unable to transfer source data to scratch space: failed to pull image: ${cause}`,
  });
const crash = [
  'I1115 20:11:04.000000       1 importer.go:107] Starting importer',
  'I1115 20:11:04.000000       1 http-datasource.go:264] Attempting to get object "disk-404.qcow2" via http client',
  'E1115 20:11:05.000000       1 prlimit.go:174] expected status code 200, got 404. NoSuchKey: checksum mismatch DataVolume too small to contain image',
].join('\n');

const cases: Record<string, { given: DataVolume; want: `${Failure['class']} ${Failure['reason']}` | 'none' }> = {
  '404': { given: http(404), want: 'permanent SourceNotFound' },
  '410': { given: http(410), want: 'permanent SourceNotFound' },
  '404 of a bucket at Google': { given: http(404, 'gcs'), want: 'permanent SourceNotFound' },
  '401': { given: http(401), want: 'permanent SourceForbidden' },
  '403': { given: http(403), want: 'permanent SourceForbidden' },
  '408': { given: http(408), want: 'retryable SourceUnreachable' },
  '429': { given: http(429), want: 'retryable SourceUnreachable' },
  '500': { given: http(500), want: 'retryable SourceUnreachable' },
  '503': { given: http(503), want: 'retryable SourceUnreachable' },
  'S3 key missing': { given: s3('NoSuchKey'), want: 'permanent SourceNotFound' },
  'S3 bucket missing': { given: s3('NoSuchBucket'), want: 'permanent SourceNotFound' },
  'S3 access denied': { given: s3('AccessDenied'), want: 'permanent SourceForbidden' },
  'S3 unknown key id': { given: s3('InvalidAccessKeyId'), want: 'permanent SourceForbidden' },
  'S3 wrong secret': { given: s3('SignatureDoesNotMatch'), want: 'permanent SourceForbidden' },
  'S3 wrong region': { given: s3('AuthorizationHeaderMalformed'), want: 'permanent SourceForbidden' },
  'S3 without credentials': { given: s3('EmptyStaticCreds'), want: 'permanent SecretMissing' },
  'S3 overloaded': { given: s3('SlowDown'), want: 'retryable SourceUnreachable' },
  'S3 broken': { given: s3('InternalError'), want: 'retryable SourceUnreachable' },
  'disk too small': { given: error('DataVolume too small to contain image'), want: 'permanent DiskTooSmall' },
  'not an image': {
    given: error(
      'Unable to process data: Unable to obtain information about data source: could not process image header: unexpected EOF',
    ),
    want: 'permanent NotAnImage',
  },
  'malformed checksum that got past the webhook': {
    given: error('Unable to process data: invalid checksum "md7"'),
    want: 'permanent RefusedByPlatform',
  },
  'malformed address': { given: error('unable to parse endpoint "http://["'), want: 'permanent RefusedByPlatform' },
  'wrong checksum': {
    given: aDataVolume(
      { reason: 'ChecksumError', message: 'Unable to process data: checksum mismatch: expected a, calculated b' },
      { phase: 'Failed' },
    ),
    want: 'permanent ChecksumMismatch',
  },
  'connection cut in mid-download': { given: pull('unexpected EOF'), want: 'retryable SourceUnreachable' },
  'registry: no such tag': {
    given: pull('initializing source docker://r/i:1: reading manifest 1 in r/i: manifest unknown'),
    want: 'permanent SourceNotFound',
  },
  'registry: 404': { given: pull('received unexpected HTTP status: 404 Not Found'), want: 'permanent SourceNotFound' },
  'registry: 403': { given: pull('received unexpected HTTP status: 403 Forbidden'), want: 'permanent SourceForbidden' },
  'registry: not allowed': {
    given: pull('initializing source docker://r/i:1: reading manifest 1 in r/i: unauthorized: authentication required'),
    want: 'permanent SourceForbidden',
  },
  'registry: 503': {
    given: pull('received unexpected HTTP status: 503 Service Unavailable'),
    want: 'retryable SourceUnreachable',
  },
  'registry: an image called denied': {
    given: pull('reading blob of r/denied:unauthorized: unexpected EOF'),
    want: 'retryable SourceUnreachable',
  },
  'connection refused': {
    given: error(
      'Unable to connect to http data source: HTTP request errored: Get "https://h/404.qcow2": dial tcp 203.0.113.1:443: connect: connection refused',
    ),
    want: 'retryable SourceUnreachable',
  },
  'no such host': {
    given: error(
      'Unable to connect to http data source: HTTP request errored: Get "https://h/x": dial tcp: lookup h on 10.96.0.10:53: server misbehaving',
    ),
    want: 'retryable SourceUnreachable',
  },
  'out of memory': { given: aDataVolume({ reason: 'OOMKilled' }), want: 'retryable ImporterFailed' },
  evicted: { given: aDataVolume({ reason: 'Evicted' }), want: 'retryable ImporterFailed' },
  'a crashed importer’s log, full of words that are not the cause': { given: error(crash), want: 'retryable ImporterFailed' },
  'the claim lost its volume': {
    given: aDataVolume({}, { bound: 'ClaimLost', phase: 'Failed' }),
    want: 'retryable DataVolumeLost',
  },
  quota: { given: aDataVolume({}, { bound: 'ErrExceededQuota', phase: 'Pending' }), want: 'wait QuotaExceeded' },
  'quota for the temporary claim': { given: aDataVolume({}, { bound: 'ErrCreatingPVCPrime' }), want: 'wait RefusedByPlatform' },
  'claim that cannot be made': {
    given: aDataVolume({}, { bound: 'ErrClaimNotValid', phase: '' }),
    want: 'wait RefusedByPlatform',
  },
  'Failed without a word': { given: aDataVolume({}, { phase: 'Failed' }), want: 'retryable ImporterFailed' },
  running: { given: aDataVolume({ status: 'True', reason: 'Pod is running' }), want: 'none' },
  'scratch space, as with every import': {
    given: aDataVolume({ reason: 'Scratch space required', message: 'scratch space required and none found' }),
    want: 'none',
  },
  starting: { given: aDataVolume({ reason: 'ContainerCreating' }), want: 'none' },
  'not scheduled yet': {
    given: aDataVolume({ reason: 'Unschedulable', message: 'Importer pod cannot be scheduled' }),
    want: 'none',
  },
  'secret missing under a running attempt': {
    given: aDataVolume({ reason: 'CreateContainerConfigError', message: 'secret "x" not found' }),
    want: 'none',
  },
  complete: { given: aDataVolume({ reason: 'Completed', message: 'Import Complete' }, { phase: 'Succeeded' }), want: 'none' },
  'an object named 404 whose claim is pending': {
    given: aDataVolume({}, { boundMessage: 'PVC expected status code 200, got 404. Pending' }),
    want: 'none',
  },
  'a new DataVolume without status': { given: { ...aDataVolume(), status: {} }, want: 'none' },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`failure: ${name}`, () => {
    const failure = shownFailure(given);
    assert.equal(failure === undefined ? 'none' : `${failure.class} ${failure.reason}`, want);
  });

test('every row of the table has its case', () => {
  const missed = failureTable.filter(
    (row) =>
      !Object.values(cases).some(({ given }) => {
        const running = given.status?.conditions?.find(({ type }) => type === 'Running');
        const bound = given.status?.conditions?.find(({ type }) => type === 'Bound');
        return (
          shownFailure(given)?.reason === row.reason &&
          (row.running === undefined || row.running.includes(running?.reason ?? '')) &&
          (row.bound === undefined || row.bound === bound?.reason) &&
          (row.text === undefined || row.text.test(running?.message ?? ''))
        );
      }),
  );
  assert.deepEqual(missed, []);
});

const noted: Failure = { class: 'retryable', reason: 'SourceUnreachable', message: 'seen before' };
const running = (restartCount: number): DataVolume => aDataVolume({ status: 'True', reason: 'Pod is running' }, { restartCount });
const failing = (restartCount: number): DataVolume => ({ ...http(503), status: { ...http(503).status, restartCount } });

const outOfMemory = aDataVolume({ reason: 'OOMKilled' });

type Verdict = { given: DataVolume; importRestarts: number; want: string | undefined } & Hearsay;
const verdicts: Record<string, Verdict> = {
  'what may pass ends the attempt before the importer starts again': {
    given: failing(0),
    importRestarts: 0,
    want: 'SourceUnreachable',
  },
  'what may pass is given the restarts the policy allows': { given: failing(1), importRestarts: 2, want: undefined },
  'and no more than that': { given: failing(2), importRestarts: 2, want: 'SourceUnreachable' },
  'what is permanent ends it at once, whatever the policy allows': {
    given: http(404),
    importRestarts: 9,
    want: 'SourceNotFound',
  },
  'a restart nobody saw the cause of': { given: running(1), importRestarts: 0, want: 'ImporterFailed' },
  'a restart whose cause was seen': { given: running(1), importRestarts: 0, noted, want: 'SourceUnreachable' },
  'a restart whose cause only the importer told': {
    given: running(1),
    importRestarts: 0,
    words: 'Unable to connect to http data source: expected status code 200, got 404. Status: 404 Not Found',
    want: 'SourceNotFound',
  },
  'a restart for want of room, in words that CDI would have replaced': {
    given: running(1),
    importRestarts: 0,
    words: 'Unable to process data: write /data/disk.img: no space left on device',
    want: 'DiskTooSmall',
  },
  'a restart for a cause in words that nobody knows': {
    given: running(1),
    importRestarts: 0,
    words: 'panic: the end, got 404.',
    want: 'ImporterFailed',
  },
  'what CDI shows counts before what the importer said': {
    given: http(404),
    importRestarts: 0,
    words: 'no space left on device',
    want: 'SourceNotFound',
  },
  'what an importer said is no reason before the restart that the policy does not allow': {
    given: running(1),
    importRestarts: 1,
    words: 'no space left on device',
    want: undefined,
  },
  'a restart the policy allows': { given: running(1), importRestarts: 1, noted, want: undefined },
  'an OOM kill, which CDI answers with another download': { given: outOfMemory, importRestarts: 0, want: 'ImporterFailed' },
  'an OOM kill, and CDI’s second try without page cache, which the policy allows': {
    given: outOfMemory,
    importRestarts: 1,
    want: undefined,
  },
  'an OOM kill of that second try': { given: outOfMemory, importRestarts: 1, kills: 1, want: 'ImporterFailed' },
  'a restart after an OOM kill is one too many as well': {
    given: running(1),
    importRestarts: 1,
    kills: 1,
    noted,
    want: 'SourceUnreachable',
  },
  'a download that fell back to its beginning': { given: running(0), importRestarts: 0, falls: 1, want: 'ImporterFailed' },
  'a fall that goes with the restart the policy allows': { given: running(1), importRestarts: 1, falls: 1, want: undefined },
  'a fall that goes with the second try after an OOM kill': {
    given: running(0),
    importRestarts: 1,
    kills: 1,
    falls: 1,
    want: undefined,
  },
  'a restart whose cause was seen, and a fall of its own': {
    given: running(1),
    importRestarts: 1,
    falls: 2,
    noted,
    want: 'ImporterFailed',
  },
  'complete after a fall is complete': {
    given: aDataVolume({}, { phase: 'Succeeded' }),
    importRestarts: 0,
    falls: 1,
    want: undefined,
  },
  'Failed is over, whatever the policy allows': {
    given: aDataVolume({}, { phase: 'Failed' }),
    importRestarts: 9,
    want: 'ImporterFailed',
  },
  'a lost claim is over, whatever the policy allows': {
    given: aDataVolume({}, { bound: 'ClaimLost' }),
    importRestarts: 9,
    want: 'DataVolumeLost',
  },
  'complete after restarts is complete': {
    given: aDataVolume({}, { phase: 'Succeeded', restartCount: 3 }),
    importRestarts: 0,
    want: undefined,
  },
};
for (const [name, { given, importRestarts, want, ...hearsay }] of Object.entries(verdicts))
  test(name, () => assert.equal(judgeImport(given, importRestarts, hearsay)?.reason, want));

test('what nobody told is said in words that tell where to look', () => {
  const words = (given: DataVolume, hearsay: Hearsay): string | undefined => judgeImport(given, 0, hearsay)?.message;
  assert.equal(words(running(1), {}), 'the importer was started again once, from byte 0');
  assert.equal(words(running(2), { kills: 1, falls: 2 }), 'the importer was started again 3 times, each time from byte 0');
  assert.equal(
    words(running(0), { falls: 1 }),
    'the download began again from byte 0 once, as it does when the importer’s pod is deleted, evicted or preempted: see the events of its node and namespace',
  );
  assert.equal(
    words(running(1), { falls: 2 }),
    'the download began again from byte 0 2 times, as it does when the importer’s pod is deleted, evicted or preempted: see the events of its node and namespace',
  );
});

test('only a failure without any words is asked about', () => {
  const isAsked = (given: DataVolume, hearsay?: Hearsay): boolean => judgeImport(given, 0, hearsay)?.isUntold === true;
  assert.deepEqual(
    [isAsked(running(1)), isAsked(running(1), { noted }), isAsked(running(1), { words: 'x' }), isAsked(http(404))],
    [true, false, false, false],
  );
});

test('texts are stored on one line and short: the end of a log, the beginning of a sentence', () => {
  const log = `${'line\n'.repeat(500)}the end`;
  assert.ok(shorten(log).endsWith('the end'));
  assert.ok(shorten(log).length <= 500);
  assert.ok(shorten(`start ${'x'.repeat(900)}`).startsWith('start x'));
  assert.equal(shorten('a\n\tb'), 'a b');
});

const refused = (code: number, status: StatusBody): ApiError =>
  new ApiError(code, status, 'POST /apis/cdi.kubevirt.io/v1beta1/namespaces/farm/datavolumes');
const denial =
  "datavolumes.cdi.kubevirt.io \"x\" is forbidden: ValidatingAdmissionPolicy 'terrain-datavolume-slot' with binding 'terrain-datavolume-slot' denied request: no open entry";
const unanswered =
  'Internal error occurred: failed calling webhook "datavolume-validate.cdi.kubevirt.io": failed to call webhook: Post "https://cdi-api.cdi.svc:443/datavolume-validate?timeout=10s": dial tcp 10.96.7.7:443: connect: connection refused';
const refusals: Record<string, { given: unknown; want: string }> = {
  'the slot policy': {
    given: refused(403, { reason: 'Forbidden', message: denial, details: { causes: [{ message: denial }] } }),
    want: 'slot',
  },
  'CDI’s webhook': {
    given: refused(400, {
      reason: 'BadRequest',
      message: 'admission webhook "datavolume-validate.cdi.kubevirt.io" denied the request: Invalid source URL scheme',
    }),
    want: 'permanent RefusedByPlatform',
  },
  'quota on objects': {
    given: refused(403, { reason: 'Forbidden', message: 'datavolumes "x" is forbidden: exceeded quota: q, requested: 1' }),
    want: 'wait QuotaExceeded',
  },
  'a namespace on its way out': {
    given: refused(403, {
      reason: 'Forbidden',
      message: 'namespace farm is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace', message: 'x' }] },
    }),
    want: 'wait RefusedByPlatform',
  },
  'missing rights': {
    given: refused(403, { reason: 'Forbidden', message: 'User "x" cannot create resource "datavolumes"' }),
    want: 'wait RefusedByPlatform',
  },
  'a manifest the schema refuses': {
    given: refused(422, {
      reason: 'Invalid',
      message: 'spec.x: Invalid value',
      details: { causes: [{ field: 'spec.x', reason: 'FieldValueInvalid' }] },
    }),
    want: 'permanent RefusedByPlatform',
  },
  'a kind that is not served': {
    given: refused(404, { reason: 'NotFound', message: 'the server could not find the requested resource' }),
    want: 'wait PlatformMissing',
  },
  'a webhook that does not answer: nothing was stored, and it may take hours': {
    given: refused(500, { reason: 'InternalError', message: unanswered }),
    want: 'wait RefusedByPlatform',
  },
  'an API server in trouble, which says something of webhooks': {
    given: refused(500, { reason: 'InternalError', message: `Internal error occurred: etcd is slow: ${unanswered}` }),
    want: 'fault',
  },
  'an API server in trouble': {
    given: refused(500, { reason: 'InternalError', message: 'Internal error occurred: etcdserver: request timed out' }),
    want: 'fault',
  },
  'too many requests': { given: refused(429, {}), want: 'fault' },
  'no answer': { given: new Error('socket hang up'), want: 'fault' },
};
for (const [name, { given, want }] of Object.entries(refusals))
  test(`refusal: ${name}`, () => {
    const verdict = judgeRefusal(given);
    assert.equal(verdict === undefined ? 'fault' : verdict === 'slot' ? verdict : `${verdict.class} ${verdict.reason}`, want);
  });

test('the words of a refusal are the server’s, without our request', () => {
  const verdict = judgeRefusal(refused(422, { reason: 'Invalid', message: 'spec.x: Invalid value' }));
  assert.deepEqual(verdict, { class: 'permanent', reason: 'RefusedByPlatform', message: 'spec.x: Invalid value' });
});

test('a webhook that does not answer is named, with what to look at', () => {
  const verdict = judgeRefusal(refused(500, { reason: 'InternalError', message: unanswered }));
  assert.deepEqual(verdict, {
    class: 'wait',
    reason: 'RefusedByPlatform',
    message:
      'failed calling webhook "datavolume-validate.cdi.kubevirt.io": failed to call webhook: Post "https://cdi-api.cdi.svc:443/datavolume-validate?timeout=10s": dial tcp 10.96.7.7:443: connect: connection refused; nothing was created: see that what serves this webhook runs',
  });
});

const owner = { apiVersion: 'v1', kind: 'Job', name: 'copy', uid: 'u', controller: true };
const taken: Record<string, { given: KubeObject; want: string }> = {
  'a DataVolume stands in nobody’s way: each attempt has another name': {
    given: { apiVersion: 'v1', kind: 'DataVolume', metadata: { name: 'd', namespace: 'farm' } },
    want: 'DataVolume farm/d exists already and belongs to no controller; it is left alone, and the next attempt takes another name',
  },
  'a snapshot has to go': {
    given: { apiVersion: 'v1', kind: 'VolumeSnapshot', metadata: { name: 's', namespace: 'farm', ownerReferences: [owner] } },
    want: 'VolumeSnapshot farm/s exists already and belongs to Job copy (uid u); delete or rename it',
  },
};
for (const [name, { given, want }] of Object.entries(taken))
  test(`a name that somebody else has: ${name}`, () =>
    assert.deepEqual(judgeRefusal(new ForeignObjectError(given)), {
      class: 'permanent',
      reason: 'RefusedByPlatform',
      message: want,
    }));
