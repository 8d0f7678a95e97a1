import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAddress } from '#address/address.ts';
import { contains, formatAddress, formatRange, overlaps, parseRange, usable } from './range.ts';

const range = (text: string) => parseRange(text) ?? assert.fail(text);
const address = (text: string) => parseAddress(text) ?? assert.fail(text);

test('a range is the same wherever in it the address lies', () => {
  assert.equal(formatRange(range('10.10.0.161/24')), '10.10.0.0/24');
  assert.equal(formatRange(range('2001:db8::dead:beef/64')), '2001:db8::/64');
  assert.equal(formatRange(range('255.255.255.255/0')), '0.0.0.0/0');
  assert.equal(parseRange('10.10.0.0'), undefined);
});

test('addresses are written as people write them', () => {
  const texts = ['0.0.0.0', '255.255.255.255', '::', '::1', '1::', '1:0:0:2::3', '2001:db8:0:1:1:1:1:1'];
  assert.deepEqual(
    texts.map((text) => formatAddress(address(text))),
    texts,
  );
});

test('every address that is read and written again is the same address', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const read = parseAddress(text);
      if (read !== undefined) assert.deepEqual(parseAddress(formatAddress(read)), read);
    }),
  );
});

test('ranges of different families have nothing in common', () => {
  assert.equal(overlaps(range('0.0.0.0/0'), range('::/0')), false);
  assert.equal(contains(range('::/0'), address('10.0.0.1')), false);
});

test('ranges overlap exactly when an address of one lies in the other', () => {
  const small = fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 24, max: 32 }))
    .map(([host, length]) => range(`10.0.0.${host}/${length}`));
  fc.assert(
    fc.property(small, small, (a, b) => {
      const common = Array.from({ length: 256 }, (_, host) => address(`10.0.0.${host}`)).some(
        (one) => contains(a, one) && contains(b, one),
      );
      assert.equal(overlaps(a, b), common);
    }),
  );
});

const rooms: Record<string, { given: string; want: [string, string] | undefined }> = {
  'an IPv4 network': { given: '10.10.0.0/24', want: ['10.10.0.1', '10.10.0.254'] },
  'the smallest IPv4 network': { given: '10.10.0.0/30', want: ['10.10.0.1', '10.10.0.2'] },
  'an IPv4 link of two': { given: '10.10.0.0/31', want: undefined },
  'a single IPv4 address': { given: '10.10.0.1/32', want: undefined },
  'an IPv6 network, which has no broadcast address': { given: '2001:db8::/126', want: ['2001:db8::1', '2001:db8::3'] },
  'an IPv6 link of two': { given: '2001:db8::/127', want: undefined },
};
for (const [name, { given, want }] of Object.entries(rooms)) {
  test(`the usable addresses of ${name}`, () => {
    const { bits } = range(given);
    const found = usable(range(given));
    assert.deepEqual(
      found === undefined ? undefined : [formatAddress({ bits, value: found.from }), formatAddress({ bits, value: found.to })],
      want,
    );
  });
}
