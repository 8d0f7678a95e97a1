import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGoStringMap } from './go-map.ts';

const tick = '`';
const source = (...entries: string[]) => `package x\n\nvar M = map[string]string{\n${entries.join('')}}\n`;

test('keys and texts are found in order', () => {
  const text = source(`\t"b": ${tick}one\ntwo\n${tick},\n`, `\t"a": ${tick}three${tick},\n`);
  assert.deepEqual(
    [...parseGoStringMap(text)],
    [
      ['b', 'one\ntwo\n'],
      ['a', 'three'],
    ],
  );
});

test('a backtick that was spliced in is put back', () => {
  const text = source(`\t"a": ${tick}use ${tick} + "${tick}" + ${tick}x${tick} + "${tick}" + ${tick} here${tick},\n`);
  assert.equal(parseGoStringMap(text).get('a'), 'use `x` here');
});

test('what looks like an entry inside a text is part of the text', () => {
  const text = source(`\t"a": ${tick}first\n\t"b": ${tick} + "${tick}" + ${tick}inner\n${tick},\n`);
  assert.deepEqual([...parseGoStringMap(text).keys()], ['a']);
});

test('a text that does not end is an error that names its key', () => {
  assert.throws(() => parseGoStringMap(`\t"broken": ${tick}text`), { code: 'UpstreamChanged', message: /The text of "broken"/ });
});

test('a file without such a map gives nothing', () => {
  assert.equal(parseGoStringMap('package x\n').size, 0);
});
