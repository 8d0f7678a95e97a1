import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerBytes, tarOf } from './tar.ts';

const plain = { path: 'a', type: '0', mode: 0o644, owner: 0, size: 0, target: '' } as const;
const field = (header: Buffer, at: number, length: number) =>
  header
    .subarray(at, at + length)
    .toString('utf8')
    .split('\0')[0];

test('a header says what the entry is, and its checksum holds', () => {
  const header = headerBytes({ ...plain, path: 'bin/sh', mode: 0o4755, owner: 107, size: 1234 });
  assert.equal(header.length, 512);
  assert.deepEqual(
    [field(header, 0, 100), field(header, 100, 8), field(header, 108, 8), field(header, 116, 8), field(header, 124, 12)],
    ['bin/sh', '0004755', '0000153', '0000153', '00000002322'],
  );
  assert.equal(header.subarray(257, 265).toString('latin1'), 'ustar\x0000');
  const told = Number.parseInt(field(header, 148, 8)!, 8);
  header.write(' '.repeat(8), 148);
  assert.equal(
    told,
    header.reduce((sum, byte) => sum + byte, 0),
  );
});

const long: Record<string, { given: { path: string; target?: string; size?: number }; want: readonly string[] }> = {
  'a name of 100 bytes needs nothing': { given: { path: 'n'.repeat(100) }, want: [] },
  'a longer one is split at a slash': { given: { path: `${'d'.repeat(120)}/${'n'.repeat(90)}` }, want: [] },
  'one that cannot be split goes into an extended header': {
    given: { path: 'n'.repeat(101) },
    want: [`111 path=${'n'.repeat(101)}\n`],
  },
  'the length of a record counts its own digits': {
    given: { path: 'n'.repeat(990) },
    want: [`1001 path=${'n'.repeat(990)}\n`],
  },
  'so do a long target and a size beyond 8 GiB': {
    given: { path: 'a', target: 't'.repeat(101), size: 8 * 1024 ** 3 },
    want: [`115 linkpath=${'t'.repeat(101)}\n`, '19 size=8589934592\n'],
  },
};
for (const [name, { given, want }] of Object.entries(long)) {
  test(name, () => {
    const bytes = headerBytes({ ...plain, ...given });
    const body = bytes.length === 512 ? '' : bytes.subarray(512, 512 + Number.parseInt(field(bytes, 124, 12)!, 8)).toString();
    assert.equal(body, want.join(''));
    for (const record of want) assert.equal(Number(record.split(' ')[0]), record.length);
    assert.equal(bytes.length, want.length === 0 ? 512 : 2 * 512 + Math.ceil(body.length / 512) * 512);
  });
}

test('an archive is made of whole blocks and ends with two empty ones', async () => {
  const pieces: Buffer[] = [];
  for await (const piece of tarOf([{ kind: 'text', path: 'x', text: 'abc' }])) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  assert.equal(bytes.length, 4 * 512);
  assert.equal(bytes.subarray(512, 515).toString(), 'abc');
  assert.ok(bytes.subarray(515).every((byte) => byte === 0));
});
