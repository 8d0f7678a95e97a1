import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bits, element, integer, objectIdentifier, tagged, text, time } from './der.ts';

const cases: Record<string, { given: Buffer; want: string }> = {
  'a short element has its length in one byte': { given: element(0x04, Buffer.from([1, 2])), want: '04020102' },
  'a length of 128 needs the long form': { given: element(0x04, Buffer.alloc(128)).subarray(0, 3), want: '048180' },
  'a length above 255 takes two bytes': { given: element(0x04, Buffer.alloc(300)).subarray(0, 4), want: '0482012c' },
  'zero is one zero byte': { given: integer(Buffer.from([0])), want: '020100' },
  'leading zeros are dropped': { given: integer(Buffer.from([0, 0, 5])), want: '020105' },
  'a set top bit gets a zero before it, or it would be negative': { given: integer(Buffer.from([0x80])), want: '02020080' },
  'an object identifier packs its first two numbers': { given: objectIdentifier('2.5.4.3'), want: '0603550403' },
  'a large arc is written in base 128': { given: objectIdentifier('1.2.840.10045.4.3.2'), want: '06082a8648ce3d040302' },
  'text is UTF-8': { given: text('é'), want: '0c02c3a9' },
  'unused bits are counted first': { given: bits(Buffer.from([0b0000_0110]), 1), want: '03020106' },
  'a constructed tag differs from a primitive one': { given: tagged(0, Buffer.from([1]), true), want: 'a00101' },
  'a primitive tag keeps the bit clear': { given: tagged(2, Buffer.from([1]), false), want: '820101' },
  'a date before 2050 has two digits for its year': {
    given: time(new Date('2049-12-31T23:59:59.999Z')),
    want: `170d${ascii('491231235959Z')}`,
  },
  'a date from 2050 on has four': { given: time(new Date('2050-01-01T00:00:00Z')), want: `180f${ascii('20500101000000Z')}` },
};

for (const [name, { given, want }] of Object.entries(cases)) test(name, () => assert.equal(given.toString('hex'), want));

function ascii(digits: string): string {
  return Buffer.from(digits).toString('hex');
}
