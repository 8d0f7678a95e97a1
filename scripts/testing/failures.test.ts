import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failuresIn } from './failures.ts';

const output = `
── unit: everything that needs nothing but Node
some word of a program

✖ adds > two numbers (packages/x.test.ts:3)
    AssertionError: 3 !== 4

        at x.test.ts:5:3

a word in between
✖ subtracts (packages/y.test.ts:9)
    Error: no

tests 9, passed 7, failed 2, skipped 0, 1.0 s
`;

test('the failed tests of a part, each with its words and nothing of what stands around', () => {
  assert.deepEqual(failuresIn(output), [
    '✖ adds > two numbers (packages/x.test.ts:3)\n    AssertionError: 3 !== 4\n\n        at x.test.ts:5:3',
    '✖ subtracts (packages/y.test.ts:9)\n    Error: no',
  ]);
  assert.deepEqual(failuresIn('tests 1, passed 1, failed 0, skipped 0, 1.0 s\n'), []);
});

test('a long one is shortened and says so', () => {
  const long = `✖ long\n${'    line\n'.repeat(50)}`;
  assert.deepEqual(failuresIn(long, 2), ['✖ long\n    line\n    line\n    … 48 more lines above']);
});

test('tests that failed with the same words stand together, with the words once', () => {
  const failed = (name: string, words: string): string => `✖ ${name}\n    ${words}\n\n`;
  const log = ['a', 'b', 'c', 'd', 'e'].map((name) => failed(name, 'Error: no cluster')).join('') + failed('f', 'Error: other');
  assert.deepEqual(failuresIn(log), [
    '✖ a\n✖ b\n✖ c\n✖ … and 2 more with the same words\n    Error: no cluster',
    '✖ f\n    Error: other',
  ]);
});
