import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { sha256 } from './sha256.ts';

const hex = (text: string): string => Buffer.from(sha256(text)).toString('hex');

// The examples of FIPS 180-4 and of NIST's test vectors.
const published: Record<string, { given: string; want: string }> = {
  'the empty text': { given: '', want: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
  'one block': { given: 'abc', want: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  'two blocks': {
    given: 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    want: '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  },
  'a million letters': { given: 'a'.repeat(1_000_000), want: 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0' },
};
for (const [name, { given, want }] of Object.entries(published)) {
  test(`sha256 of ${name} is the published one`, () => assert.equal(hex(given), want));
}

test('sha256 of every length around the padding boundaries is the platform’s', () => {
  for (let length = 0; length <= 200; length++) {
    const text = 'x'.repeat(length);
    assert.equal(hex(text), createHash('sha256').update(text).digest('hex'), `length ${length}`);
  }
});

test('sha256 of any text, also outside ASCII, is the platform’s', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      (text) => hex(text) === createHash('sha256').update(text).digest('hex'),
    ),
  );
});
