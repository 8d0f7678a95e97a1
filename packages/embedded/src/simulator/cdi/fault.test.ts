import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSwitches } from '../scenario/switches.ts';
import { type Fault, type FaultInput, faultOf } from './fault.ts';

const url = 'https://images.example.com/disks/lab.qcow2?sim=x';
const input = (switches: string, more: Partial<FaultInput> = {}): FaultInput => ({
  kind: 'http',
  source: { url },
  switches: parseSwitches(switches).switches,
  diskBytes: 2 ** 30,
  attempt: 1,
  missing: undefined,
  ...more,
});

/** Where and with which reason and words: what a controller can see. */
function told(fault: Fault | undefined): string {
  if (fault === undefined) return 'none';
  const reason = 'reason' in fault ? fault.reason : '';
  const message = 'message' in fault ? (typeof fault.message === 'function' ? fault.message(0) : fault.message) : '';
  return [fault.at, reason, message].filter((part) => part !== '').join(' | ');
}

const http = (code: number, name: string): string =>
  `connect | Error | Unable to connect to http data source: expected status code 200, got ${code}. Status: ${code} ${name}`;
const scratch = 'Unable to process data: Unable to transfer source data to scratch space:';

const cases: Record<string, { given: FaultInput; want: string | RegExp }> = {
  'nothing goes wrong by itself': { given: input(''), want: 'none' },
  'http 404': { given: input('http:404'), want: http(404, 'Not Found') },
  'http 401': { given: input('http:401'), want: http(401, 'Unauthorized') },
  'http 403': { given: input('http:403'), want: http(403, 'Forbidden') },
  'http 410': { given: input('http:410'), want: http(410, 'Gone') },
  'http 408': { given: input('http:408'), want: http(408, 'Request Timeout') },
  'http 429': { given: input('http:429'), want: http(429, 'Too Many Requests') },
  'http 500': { given: input('http:500'), want: http(500, 'Internal Server Error') },
  'http 503': { given: input('http:503'), want: http(503, 'Service Unavailable') },
  'a missing key in a bucket': {
    given: input('http:404', { kind: 's3', source: { url, secretRef: 's' } }),
    want: /^connect \| Error \| Unable to connect to s3 data source: could not get s3 object: "disks\/lab.qcow2": NoSuchKey: .* \tstatus code: 404, request id: /,
  },
  'an S3 code of choice': {
    given: input('s3:SignatureDoesNotMatch', { kind: 's3', source: { url, secretRef: 's' } }),
    want: /SignatureDoesNotMatch: .*status code: 403/s,
  },
  'S3 without a Secret (B.4)': {
    given: input('', { kind: 's3' }),
    want: 'connect | Error | Unable to connect to s3 data source: could not get s3 object: "disks/lab.qcow2": EmptyStaticCreds: static credentials are empty',
  },
  'nothing listens (0.9)': {
    given: input('refused'),
    want: `connect | Error | Unable to connect to http data source: HTTP request errored: Get "${url}": dial tcp 203.0.113.1:443: connect: connection refused`,
  },
  'the host has no address (0.9)': {
    given: input('dns'),
    want: `connect | Error | Unable to connect to http data source: HTTP request errored: Get "${url}": dial tcp: lookup images.example.com on 10.96.0.10:53: server misbehaving`,
  },
  'no disk image (0.9)': {
    given: input('not-an-image'),
    want: /^connect \| Error \| .*could not process image header: unexpected EOF$/,
  },
  'a cut connection shows as ImagePullFailed, over HTTP too (0.1)': {
    given: input('cut'),
    want: `transfer | ImagePullFailed | ${scratch} failed to pull image: unexpected EOF`,
  },
  'a registry that refuses': {
    given: input('http:500', { kind: 'registry' }),
    want: /^connect \| ImagePullFailed \| .*failed to pull image/,
  },
  'a crash leaves many lines of log, with numbers in them that mean nothing (0.8)': {
    given: input('crashloop'),
    want: /^connect \| Error \| .*\n.*\n.*404.*\n.*403/s,
  },
  'too small, exactly these words (1.4)': {
    given: input('too-small'),
    want: 'transfer | Error | DataVolume too small to contain image',
  },
  'an image larger than the disk asked for': {
    given: input('size:2Gi'),
    want: 'transfer | Error | DataVolume too small to contain image',
  },
  'a file larger than the space beside the disk': {
    given: input('size:1Gi;bytes:2Gi'),
    want: 'transfer | Error | DataVolume too small to contain image',
  },
  'an image that fits': { given: input('size:1Gi'), want: 'none' },
  'a checksum that does not match what is served': {
    given: input('digest:sha256:aa', { source: { url, checksum: 'sha256:bb' } }),
    want: `checksum | ${scratch} checksum mismatch: expected sha256:bb, calculated sha256:aa`,
  },
  'a checksum that matches': { given: input('digest:sha256:aa', { source: { url, checksum: 'sha256:AA' } }), want: 'none' },
  'a wrong checksum by decree': {
    given: input('checksum'),
    want: /^checksum \| .*checksum mismatch: expected sha256:0+, calculated sha256:d+$/,
  },
  'a Secret that is not there (B.4)': {
    given: input('', { missing: { kind: 'Secret', name: 'x' } }),
    want: 'container | CreateContainerConfigError | secret "x" not found',
  },
  'a Secret that is there counts as missing, by its name': {
    given: input('secret-missing', { source: { url, secretRef: 'keys' } }),
    want: 'container | CreateContainerConfigError | secret "keys" not found',
  },
  'a missing Secret where none is named': {
    given: input('secret-missing'),
    want: 'container | CreateContainerConfigError | secret "simulated" not found',
  },
  'a ConfigMap that is not there leaves no words (1.4)': {
    given: input('', { missing: { kind: 'ConfigMap', name: 'x' } }),
    want: 'container | ContainerCreating',
  },
  'the first attempts fail with 503': { given: input('fail:2', { attempt: 2 }), want: http(503, 'Service Unavailable') },
  'the attempt after them succeeds': { given: input('fail:2', { attempt: 3 }), want: 'none' },
  'the first attempts fail as another switch says': {
    given: input('fail:2;cut', { attempt: 1 }),
    want: /^transfer \| ImagePullFailed/,
  },
  'and only they do': { given: input('fail:2;cut', { attempt: 3 }), want: 'none' },
  'no room on any node': { given: input('stuck'), want: 'schedule' },
  'killed for its memory': { given: input('oom'), want: 'oom' },
  'progress that stops': { given: input('stall:42'), want: 'stall' },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(name, () => {
    if (typeof want === 'string') assert.equal(told(faultOf(given)), want);
    else assert.match(told(faultOf(given)), want);
  });

test('a disk that is too small is told before the image is downloaded; a full one when it is full', () => {
  const shares = ['size:2Gi', 'bytes:2Gi'].map((switches) => {
    const fault = faultOf(input(switches));
    return fault?.at === 'transfer' ? fault.fraction.toFixed(2) : undefined;
  });
  assert.deepEqual(shares, ['0.01', '0.53']);
});

test('the id of an S3 request differs each time, so texts are never equal (B.4)', () => {
  const fault = faultOf(input('s3:NoSuchKey', { kind: 's3', source: { url, secretRef: 's' } }));
  assert.ok(fault?.at === 'connect');
  assert.notEqual(fault.message(0), fault.message(1));
});
