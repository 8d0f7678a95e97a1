import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PolicyKey, policyKeys } from './key.ts';
import { isSamePolicy, policyOf, readPolicy } from './policy.ts';

const none: ReadonlyMap<string, string> = new Map();
const defaults = readPolicy(undefined, none);

test('no ConfigMap, an empty one and one without our keys all give the defaults, without a warning', () => {
  assert.deepEqual(defaults.problems, []);
  assert.deepEqual(readPolicy({}, none), defaults);
  assert.deepEqual(policyOf(defaults.texts), {
    concurrency: 4,
    retryLimit: 2,
    retryBackoffDuration: 300_000,
    retryBackoffMax: 3_600_000,
    attemptTimeout: 21_600_000,
    noProgressTimeout: 1_800_000,
    importRestarts: 0,
    unreferencedTTL: 'off',
    templateImageTTL: 3_600_000,
    namespaceShare: 'off',
    imageNamespace: 'vmdi-farm',
    imageUrlTemplate: '',
    imageSourceType: 'http',
    imageStorageClass: '',
    imageSnapshotClass: '',
    imageSecretRef: '',
    defaultDiskSize: '32Gi',
    allowInternalSources: false,
    ansibleImage: '',
    networkBackend: 'bridge',
  });
});

const good: Record<PolicyKey, readonly (readonly [text: string, value: unknown])[]> = {
  concurrency: [
    [' 7\n', 7],
    ['0', 0],
    ['1000', 1000],
  ],
  retryLimit: [['0', 0]],
  retryBackoffDuration: [
    ['0s', 0],
    ['1m30s', 90_000],
  ],
  retryBackoffMax: [['2h', 7_200_000]],
  attemptTimeout: [['1ms', 1]],
  noProgressTimeout: [['10s', 10_000]],
  importRestarts: [['3', 3]],
  unreferencedTTL: [
    ['', 'off'],
    ['720h', 2_592_000_000],
  ],
  templateImageTTL: [
    ['', 'off'],
    ['0s', 0],
  ],
  namespaceShare: [
    ['', 'off'],
    ['2', 2],
  ],
  imageNamespace: [['images', 'images']],
  imageUrlTemplate: [
    ['', ''],
    ['https://s3.example.com/images/{name}/{version}/{image}.qcow2', undefined],
  ],
  imageSourceType: [['s3', 's3']],
  imageStorageClass: [['gp3', 'gp3']],
  imageSnapshotClass: [['ebs.snapshot', 'ebs.snapshot']],
  imageSecretRef: [['foo-bar', 'foo-bar']],
  defaultDiskSize: [['24Gi', '24Gi']],
  allowInternalSources: [['true', true]],
  ansibleImage: [['registry.example.com:5000/a/b@sha256:00', undefined]],
  networkBackend: [['kube-ovn', 'kube-ovn']],
};

const bad: Record<PolicyKey, readonly string[]> = {
  concurrency: ['', 'abc', '-1', '4.5', '1e9', '1001', '٤', '0x10', '+4', '04', '∞'],
  retryLimit: ['', '-1', '101', '2.0'],
  retryBackoffDuration: ['', '5', '5 minutes', '-5m', '1d', '9999999h', '1h1h1h1h1h1h1h1h1h'],
  retryBackoffMax: ['', 'soon'],
  attemptTimeout: ['', '0s', '6'],
  noProgressTimeout: ['', '0m'],
  importRestarts: ['', '-0', '101'],
  unreferencedTTL: ['never', '1d'],
  templateImageTTL: ['never'],
  namespaceShare: ['0', '1001', 'half'],
  imageNamespace: ['', 'Images', 'a.b', 'x'.repeat(64)],
  imageUrlTemplate: [
    '{name}',
    'https://h/{nam}',
    'ftp://h/{name}',
    'https://h/{name',
    `https://h/${'x'.repeat(2048)}`,
    'https:///x',
  ],
  imageSourceType: ['', 'blank', 'S3'],
  imageStorageClass: ['GP3', '-x', 'x'.repeat(64)],
  imageSnapshotClass: ['a b'],
  imageSecretRef: ['../x'],
  defaultDiskSize: ['', '0', '-1Gi', 'big', '32GB'],
  allowInternalSources: ['', 'yes', 'True', '1'],
  ansibleImage: ['a b', '$(x)', 'x'.repeat(513)],
  networkBackend: ['', 'flannel'],
};

for (const key of Object.keys(policyKeys) as PolicyKey[]) {
  test(`${key}: good values come into force, bad ones leave the last good one in force`, () => {
    for (const [text, want] of good[key]) {
      const { texts, problems } = readPolicy({ [key]: text }, none);
      assert.deepEqual(problems, []);
      assert.equal(texts.get(key), text.trim());
      assert.deepEqual(policyOf(texts)[key], want ?? text);
    }
    const last = good[key].at(-1)?.[0] ?? '';
    for (const text of bad[key]) {
      const kept = readPolicy({ [key]: text }, new Map([[key, last]]));
      assert.equal(kept.texts.get(key), last, `"${text}" for ${key}`);
      assert.deepEqual(
        kept.problems.map((problem) => [problem.key, problem.kind]),
        [[key, 'invalid']],
      );
      assert.equal(readPolicy({ [key]: text }, none).texts.get(key), policyKeys[key].default);
    }
  });
}

test('the defaults obey their own rules', () => {
  for (const [key, { default: text, parse }] of Object.entries(policyKeys)) assert.notEqual(parse(text), undefined, key);
});

test('a warning names the key, the value, the rule and what counts instead', () => {
  const { problems } = readPolicy({ concurrency: 'many\nof them', nonsense: '1' }, new Map([['concurrency', '8']]));
  assert.deepEqual(
    problems.map(({ message }) => message.replace(/the keys are .*/, 'the keys are …')),
    [
      'key concurrency is "many\\nof them", which is not a whole number from 0 to 1000; "8" stays in force until it is corrected',
      'there is no key "nonsense"; the keys are …',
    ],
  );
});

test('a last good value that a later version would not accept is not used', () => {
  assert.equal(readPolicy({ concurrency: 'x' }, new Map([['concurrency', '5000']])).texts.get('concurrency'), '4');
  assert.equal(policyOf(new Map([['concurrency', '5000']])).concurrency, 4);
});

test('each key is judged alone: garbage in one leaves the others in force', () => {
  const { texts } = readPolicy({ concurrency: '1e9', retryLimit: '5' }, none);
  assert.deepEqual([texts.get('concurrency'), texts.get('retryLimit')], ['4', '5']);
});

test('whatever the data is, the values in force are complete, legal and short', () => {
  const data = fc.dictionary(
    fc.oneof(fc.constantFrom(...Object.keys(policyKeys)), fc.string()),
    fc.oneof(fc.string(), fc.string({ unit: 'binary' })),
  );
  fc.assert(
    fc.property(data, data, (now, before) => {
      const lastGood = readPolicy(before, none).texts;
      const { texts, problems } = readPolicy(now, lastGood);
      assert.deepEqual([...texts.keys()], Object.keys(policyKeys));
      assert.ok(Object.values(policyOf(texts)).every((value) => value !== undefined));
      assert.ok(problems.every(({ message }) => message.length < 1000));
      // What is in force is a good value: read again as if it had been written, it stays as it is.
      assert.ok(isSamePolicy(readPolicy(Object.fromEntries(texts), none).texts, texts));
    }),
    { numRuns: 40 },
  );
});

test('keys that name parts of every object are only unknown keys', () => {
  const { texts, problems } = readPolicy(JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>, none);
  assert.deepEqual(
    problems.map(({ kind }) => kind),
    ['unknown', 'unknown'],
  );
  assert.deepEqual(texts, defaults.texts);
});
