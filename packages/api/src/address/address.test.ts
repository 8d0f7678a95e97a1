import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAddress, parsePrefix } from './address.ts';

const addresses: Record<string, { given: string; want: bigint | undefined }> = {
  'an IPv4 address': { given: '10.10.0.161', want: 0x0a0a00a1n },
  'a leading zero, which some programs read as octal': { given: '10.10.0.010', want: undefined },
  'an octet above 255': { given: '10.10.0.256', want: undefined },
  'three octets': { given: '127.1', want: undefined },
  'a whole number': { given: '2130706433', want: undefined },
  'an IPv6 address': { given: '2001:db8::1', want: 0x20010db8000000000000000000000001n },
  'the empty IPv6 address': { given: '::', want: 0n },
  'an IPv6 address with all groups': { given: '1:2:3:4:5:6:7:8', want: 0x00010002000300040005000600070008n },
  'too many groups': { given: '1:2:3:4:5:6:7:8:9', want: undefined },
  'a double colon that stands for nothing': { given: '1:2:3:4::5:6:7:8', want: undefined },
  'two double colons': { given: '1::2::3', want: undefined },
  'an IPv4 address mapped into IPv6': { given: '::ffff:7f00:1', want: undefined },
  'an IPv4 tail': { given: '::ffff:127.0.0.1', want: undefined },
  'a zone': { given: 'fe80::1%eth0', want: undefined },
  'a prefix length': { given: '10.10.0.0/24', want: undefined },
  nothing: { given: '', want: undefined },
  'a name': { given: 'localhost', want: undefined },
};
for (const [name, { given, want }] of Object.entries(addresses)) {
  test(`parseAddress of ${name}`, () => assert.equal(parseAddress(given)?.value, want));
}

const prefixes: Record<string, { given: string; want: number | undefined }> = {
  'a network': { given: '10.10.0.0/24', want: 24 },
  'an address in a network': { given: '10.10.0.161/24', want: 24 },
  everything: { given: '0.0.0.0/0', want: 0 },
  'an IPv6 network': { given: '2001:db8::/64', want: 64 },
  'a prefix longer than the address': { given: '10.10.0.0/33', want: undefined },
  'a prefix with a leading zero': { given: '10.10.0.0/08', want: undefined },
  'no prefix': { given: '10.10.0.0', want: undefined },
  'an empty prefix': { given: '10.10.0.0/', want: undefined },
  'a netmask': { given: '10.10.0.0/255.255.255.0', want: undefined },
  'two prefixes': { given: '10.10.0.0/24/24', want: undefined },
};
for (const [name, { given, want }] of Object.entries(prefixes)) {
  test(`parsePrefix of ${name}`, () => assert.equal(parsePrefix(given)?.length, want));
}

test('parseAddress agrees with Node about every address without an IPv4 tail or a zone', () => {
  const nearly = fc
    .array(fc.constantFrom(':', '::', '.', '0', '1', 'ff', 'db8', '255', '256'), { maxLength: 16 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), nearly), (text) => {
      fc.pre(!(text.includes(':') && text.includes('.')) && !/^(0*:){0,5}:?0*:?ffff:[^:]+:[^:]+$/i.test(text));
      assert.equal(parseAddress(text) !== undefined, isIP(text) !== 0, text);
    }),
    { numRuns: 2000 },
  );
});
