import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@terrain/runtime';
import type { Secret } from '#platform/core.ts';
import { aSnapshot, aSnapshotClass, aStorageClass } from '#testing/image-world.ts';
import { judgeCertConfigMap, judgeSecret, judgeUnreadable } from './credential.ts';
import { decide } from './decide.ts';
import { preflightProblem } from './preflight.ts';
import type { Snapshot } from './snapshot.ts';

const base = aSnapshot().platform;
const platform = (change: Partial<Snapshot['platform']>): Snapshot['platform'] => ({ ...base, ...change });
const plain = { metadata: { name: 'plain' } };

const cases: Record<string, { given: Snapshot; want: RegExp | undefined }> = {
  'all there': { given: aSnapshot(), want: undefined },
  'no CDI comes before all else': {
    given: aSnapshot({ platform: platform({ hasDataVolumes: false, hasSnapshots: false, storageClasses: [] }) }),
    want: /^PlatformMissing CDI is not installed/,
  },
  'no snapshots': {
    given: aSnapshot({ platform: platform({ hasSnapshots: false }) }),
    want: /^PlatformMissing volume snapshots/,
  },
  's3 without secretRef': {
    given: aSnapshot({ image: { spec: { sourceType: 's3' } } }),
    want: /^SecretMissing .*for a public bucket use sourceType http$/,
  },
  's3 with one': { given: aSnapshot({ image: { spec: { sourceType: 's3', secretRef: 's' } }, secret: 'met' }), want: undefined },
  'what was not read yet is no problem': {
    given: aSnapshot({ image: { spec: { secretRef: 's' } }, secret: 'unknown' }),
    want: undefined,
  },
  'a named class that is there': {
    given: aSnapshot({ image: { spec: { storageClass: 'fast', snapshotClass: 'cut' } } }),
    want: undefined,
  },
  'a named class that is not': {
    given: aSnapshot({ image: { spec: { storageClass: 'gp3' } } }),
    want: /^StorageClassMissing StorageClass gp3 does not exist/,
  },
  'no default class': {
    given: aSnapshot({ platform: platform({ storageClasses: [aStorageClass('x', plain)] }) }),
    want: /^StorageClassMissing no storageClass is named/,
  },
  'a named snapshot class that is not there': {
    given: aSnapshot({ image: { spec: { snapshotClass: 'ebs' } } }),
    want: /^SnapshotClassMissing VolumeSnapshotClass ebs does not exist/,
  },
  'a snapshot class of another driver': {
    given: aSnapshot({
      image: { spec: { snapshotClass: 'ebs' } },
      platform: platform({ snapshotClasses: [aSnapshotClass('ebs', { driver: 'ebs.csi.aws.com' })] }),
    }),
    want: /^SnapshotClassMissing VolumeSnapshotClass ebs belongs to the driver ebs\.csi\.aws\.com, but StorageClass fast to csi\.example\.com/,
  },
  'a driver of the time before CSI has snapshots under another name': {
    given: aSnapshot({
      image: { spec: { snapshotClass: 'ebs' } },
      platform: platform({
        storageClasses: [aStorageClass('gp2', { provisioner: 'kubernetes.io/aws-ebs' })],
        snapshotClasses: [aSnapshotClass('ebs', { driver: 'ebs.csi.aws.com' })],
      }),
    }),
    want: undefined,
  },
  'no default snapshot class for this driver': {
    given: aSnapshot({ platform: platform({ snapshotClasses: [aSnapshotClass('x', { driver: 'other' })] }) }),
    want: /^SnapshotClassMissing no snapshotClass is named and the driver csi\.example\.com has no default/,
  },
  'two default snapshot classes': {
    given: aSnapshot({ platform: platform({ snapshotClasses: [aSnapshotClass('a'), aSnapshotClass('b')] }) }),
    want: /^SnapshotClassMissing the driver csi\.example\.com has 2 default/,
  },
  'the default for virtual machines counts before the other': {
    given: aSnapshot({
      platform: platform({
        storageClasses: [
          aStorageClass(),
          aStorageClass('virt', {
            provisioner: 'virt.example.com',
            metadata: { name: 'virt', annotations: { 'storageclass.kubevirt.io/is-default-virt-class': 'true' } },
          }),
        ],
        snapshotClasses: [aSnapshotClass('v', { driver: 'virt.example.com' })],
      }),
    }),
    want: undefined,
  },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`preflight: ${name}`, () => {
    const problem = preflightProblem(given);
    if (want === undefined) assert.equal(problem, undefined);
    else assert.match(`${problem?.reason} ${problem?.message}`, want);
  });

const aSecret = (data: Record<string, string>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});
const keys = { accessKeyId: 'AKIA', secretKey: 'p+/=' };
const secrets: Record<string, { given: Secret | undefined; type?: string; want: string }> = {
  usable: { given: aSecret(keys), want: 'met' },
  absent: { given: undefined, want: 'SecretMissing' },
  'a key is missing': { given: aSecret({ accessKeyId: 'x' }), want: 'SecretInvalid' },
  'a key is empty': { given: aSecret({ ...keys, secretKey: '' }), want: 'SecretInvalid' },
  'a line break at the end, as from a file': { given: aSecret({ ...keys, secretKey: 'x\n' }), want: 'SecretInvalid' },
  'a line break inside': { given: aSecret({ ...keys, accessKeyId: 'a\r\nX: y' }), want: 'SecretInvalid' },
  'a character outside ASCII': { given: aSecret({ ...keys, secretKey: 'pässword' }), want: 'SecretInvalid' },
  'a blank inside is fine': { given: aSecret({ ...keys, secretKey: 'a b' }), want: 'met' },
  'Google takes a key file': { given: aSecret({ 'key.json': '{}' }), type: 'gcs', want: 'met' },
};
for (const [name, { given, type = 's3', want }] of Object.entries(secrets))
  test(`secret: ${name}`, () => {
    const need = judgeSecret(given, 's', type);
    assert.equal(typeof need === 'string' ? need : need.reason, want);
    if (typeof need === 'object')
      for (const value of Object.values(keys)) assert.ok(!need.message.includes(value), 'no content of a Secret in a message');
  });

test('certificates', () => {
  assert.equal(judgeCertConfigMap(true, 'c'), 'met');
  assert.deepEqual(judgeCertConfigMap(false, 'c'), {
    reason: 'CertConfigMapMissing',
    message: 'ConfigMap c does not exist in this namespace; create it with the certificates to trust',
  });
});

const answered = (code: number): ApiError => new ApiError(code, { message: 'no' }, 'GET /api/v1/namespaces/n/secrets/s');
const read = '; see that the API server can read it (kubectl get secret s), and the image goes on by itself within a minute';
const errors: Record<string, { given: unknown; want: string | undefined }> = {
  'the API server cannot decipher it': { given: answered(500), want: `SecretInvalid Secret s cannot be read: no${read}` },
  'the API server took too long': { given: answered(504), want: `SecretInvalid Secret s cannot be read: no${read}` },
  'the operator may not': {
    given: answered(403),
    want: 'SecretInvalid Secret s cannot be read: no; let the operator read it (ClusterRole terrain-operator), and the image goes on by itself within a minute',
  },
  'who asks is not known': { given: answered(401), want: undefined },
  'the API server is busy': { given: answered(429), want: undefined },
  'the API server is away': { given: answered(503), want: undefined },
  'no answer': { given: new Error('socket hang up'), want: undefined },
};
for (const [name, { given, want }] of Object.entries(errors))
  test(`not read: ${name}`, () => {
    const need = judgeUnreadable(given, 'Secret', 's');
    assert.equal(typeof need === 'object' ? `${need.reason} ${need.message}` : need, want);
  });

test('what could not be read is read again after a while, since no watch may tell', () => {
  const secret = judgeUnreadable(answered(500), 'Secret', 's') ?? assert.fail();
  const { step } = decide(aSnapshot({ image: { spec: { secretRef: 's' } }, secret }));
  assert.equal(step.kind === 'wait' ? step.afterMs : step.kind, 30_000);
});
