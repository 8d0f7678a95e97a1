import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TextPacker } from './text-packer.ts';

const object = (index: number, more: object = {}): string => {
  const name = `thing-${index}`;
  const uid = `uid-of-${index * 7919}`;
  return JSON.stringify({
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'somewhere', uid, labels: { 'example.com/owner': 'somebody', 'example.com/name': name } },
    spec: { sizeOfTheDisk: '20Gi', storageClassName: 'standard', volumeMode: 'Filesystem', ofUid: uid },
    ...more,
  });
};

test('any JSON comes back as it was, in any order', () => {
  const text = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
    fc.nat().map((index) => object(index)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
      const packer = new TextPacker();
      const packed = texts.map((each) => packer.pack(each));
      for (const index of [...texts.keys()].reverse()) assert.equal(packer.unpack(packed[index] ?? ''), texts[index]);
    }),
  );
});

test('objects of one form take a fraction of their size, the name and UID in them once', () => {
  const packer = new TextPacker();
  packer.pack(object(0));
  for (let index = 1; index < 50; index++) {
    const packed = packer.pack(object(index));
    assert.ok(packed.length < object(index).length / 4, packed);
    assert.equal(packed.split(`thing-${index}`).length, 2, packed);
    assert.equal(packed.split(`uid-of-${index * 7919}`).length, 2, packed);
  }
});

test('what is the same in the sample may differ in a text, and the other way round', () => {
  const packer = new TextPacker();
  for (const text of ['["a","a","b"]', '["a","c","b"]', '["d","d","d"]', '["b","a","a"]', '["a","a","a"]'])
    assert.equal(packer.unpack(packer.pack(text)), text);
});

test('objects that take another form have a sample of that; earlier ones are still read', () => {
  const packer = new TextPacker();
  const status = {
    conditions: Array.from({ length: 9 }, (_, index) => ({ type: `Condition${index}`, reason: `Because${index}` })),
  };
  const texts = [object(1), object(2, { status }), object(3), object(4, { status })];
  const packed = texts.map((text) => packer.pack(text));
  assert.ok((packed[3]?.length ?? 0) < object(4).length / 4, 'the status is not held again');
  assert.deepEqual(
    packed.map((each) => packer.unpack(each)),
    texts,
  );
});

test('a text too long for a sample is held as it is', () => {
  const packer = new TextPacker();
  const long = JSON.stringify({ text: 'x'.repeat(40_000) });
  for (let time = 0; time < 2; time++) {
    const packed = packer.pack(long);
    assert.ok(packed.length > long.length);
    assert.equal(packer.unpack(packed), long);
  }
});

test('texts of ever new forms are held as they are: samples are few', () => {
  const packer = new TextPacker();
  for (let length = 0; length < 200; length++) {
    const text = JSON.stringify(Array.from({ length }, () => 'word'));
    const packed = packer.pack(text);
    assert.equal(packer.unpack(packed), text);
    assert.equal(packed.length > text.length, length >= 64, `${length}`);
  }
});
