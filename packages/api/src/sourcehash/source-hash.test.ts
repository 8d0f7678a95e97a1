import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { labelValue } from '#naming/label.ts';
import type { VMDiskImageSpec } from '#vmdiskimage/schema.ts';
import { sourceHash } from './source-hash.ts';

const harrison: VMDiskImageSpec = {
  storageClass: 'gp3',
  snapshotClass: 'ebs-snapshot',
  secretRef: 'foo-bar',
  name: 'harrison-vm',
  url: 'https://images.example.com/lab-151/1.0.0/attacker.qcow2',
  sourceType: 'http',
  diskSize: '24Gi',
  checksum: `sha256:${'ab'.repeat(32)}`,
};

const without = (...fields: (keyof VMDiskImageSpec)[]): VMDiskImageSpec =>
  Object.fromEntries(
    Object.entries(harrison).filter(([field]) => !fields.includes(field as keyof VMDiskImageSpec)),
  ) as VMDiskImageSpec;

test('the source hash is stored in clusters and never changes', () => {
  assert.equal(sourceHash(harrison), 'bde577600c25fb704ec891fa83a08e8c095441a9');
});

test('the source hash is a label value', () => {
  assert.equal(labelValue(sourceHash(harrison)), sourceHash(harrison));
});

const same: Record<string, VMDiskImageSpec> = {
  'the fields come in another order': Object.fromEntries(Object.entries(harrison).reverse()) as VMDiskImageSpec,
  'the image is retained': { ...harrison, retain: true },
  'the image is for another machine': { ...harrison, name: 'another-vm' },
  'the machine is not named': without('name'),
  'the credentials are in another Secret': { ...harrison, secretRef: 'renamed' },
  'there are no credentials': without('secretRef'),
  'the certificates change': { ...harrison, certConfigMap: 'authorities' },
  'the size is written in another unit': { ...harrison, diskSize: '24576Mi' },
  'the size is a number': { ...harrison, diskSize: 24 * 1024 ** 3 },
  'the checksum is written in capitals': { ...harrison, checksum: `sha256:${'AB'.repeat(32)}` },
};
for (const [name, spec] of Object.entries(same)) {
  test(`the source is the same when ${name}`, () => assert.equal(sourceHash(spec), sourceHash(harrison)));
}

test('an empty field and an absent one mean the same default', () => {
  for (const field of ['storageClass', 'snapshotClass', 'checksum', 'url'] as const) {
    assert.equal(sourceHash({ ...harrison, [field]: '' }), sourceHash(without(field)), field);
  }
});

const different: Record<string, VMDiskImageSpec> = {
  'the url changes': { ...harrison, url: 'https://images.example.com/lab-151/1.0.1/attacker.qcow2' },
  'the source type changes': { ...harrison, sourceType: 's3' },
  'the checksum changes': { ...harrison, checksum: `sha256:${'ac'.repeat(32)}` },
  'the size changes': { ...harrison, diskSize: '25Gi' },
  'the storage class changes': { ...harrison, storageClass: 'io2' },
  'the snapshot class changes': { ...harrison, snapshotClass: 'other' },
  'the classes swap': { ...harrison, storageClass: 'ebs-snapshot', snapshotClass: 'gp3' },
};
for (const [name, spec] of Object.entries(different)) {
  test(`the source is another one when ${name}`, () => assert.notEqual(sourceHash(spec), sourceHash(harrison)));
}

test('text cannot move from one field to its neighbour unnoticed', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 4 }), fc.string({ maxLength: 4 }), fc.string({ maxLength: 4 }), (a, b, c) => {
      fc.pre(b !== '');
      const left = sourceHash({ ...harrison, storageClass: a + b, snapshotClass: c });
      const right = sourceHash({ ...harrison, storageClass: a, snapshotClass: b + c });
      assert.notEqual(left, right);
    }),
  );
});

test('a source is read once, however often it is asked for its hash', () => {
  let reads = 0;
  const source: VMDiskImageSpec = {
    ...harrison,
    get url() {
      reads++;
      return harrison.url ?? '';
    },
  };
  assert.deepEqual([sourceHash(source), sourceHash(source)], [sourceHash(harrison), sourceHash(harrison)]);
  assert.equal(reads, 1);
});
