import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ByteRange, byteRange } from './byte-range.ts';

const cases: Record<string, { header: string | undefined; want: ByteRange | 'unsatisfiable' | undefined }> = {
  'no header: everything': { header: undefined, want: undefined },
  'from the beginning': { header: 'bytes=0-0', want: { start: 0, end: 0 } },
  'to the end when it reaches beyond it': { header: 'bytes=90-1000', want: { start: 90, end: 99 } },
  'open at the end': { header: 'bytes=40-', want: { start: 40, end: 99 } },
  'the last bytes': { header: 'bytes=-10', want: { start: 90, end: 99 } },
  'more last bytes than there are': { header: 'bytes=-1000', want: { start: 0, end: 99 } },
  'behind the end': { header: 'bytes=100-', want: 'unsatisfiable' },
  'no last bytes': { header: 'bytes=-0', want: 'unsatisfiable' },
  backwards: { header: 'bytes=9-3', want: 'unsatisfiable' },
  'several at once are ignored': { header: 'bytes=0-1,4-5', want: undefined },
  'other units are ignored': { header: 'lines=0-1', want: undefined },
};

for (const [name, { header, want }] of Object.entries(cases)) {
  test(name, () => assert.deepEqual(byteRange(header, 100), want));
}
