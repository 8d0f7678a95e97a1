import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from './lines.ts';

function split(chunks: readonly Buffer[], maxBytes?: number): string[] {
  const splitter = new LineSplitter(maxBytes);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

test('however a text is cut into chunks, its lines come out', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 }),
      fc.array(fc.nat(40), { maxLength: 12 }),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        chunks.push(bytes.subarray(at));
        assert.deepEqual(
          split(chunks),
          lines.map((line) => Buffer.from(line).toString()),
        );
      },
    ),
  );
});

test('a line longer than the limit is an error', () => {
  assert.throws(() => split([Buffer.from('12345'), Buffer.from('67890')], 8), /longer than 8 bytes/);
});
