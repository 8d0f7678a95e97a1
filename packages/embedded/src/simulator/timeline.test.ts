import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positionAt } from './timeline.ts';

const line = [
  { lengthMs: 100, moment: 'a' },
  { lengthMs: 0, moment: 'never seen' },
  { lengthMs: 200, moment: 'b' },
  { lengthMs: Number.POSITIVE_INFINITY, moment: 'c' },
];

const cases: Record<
  string,
  { offsetMs: number; atMost?: number; want: [moment: string, step: number, insideMs: number, isLate: boolean] }
> = {
  'the beginning': { offsetMs: 0, want: ['a', 0, 0, false] },
  inside: { offsetMs: 99, want: ['a', 0, 99, false] },
  'a boundary belongs to what follows; what has no length is not counted': { offsetMs: 100, want: ['b', 1, 0, false] },
  'the last one never ends': { offsetMs: 1e9, want: ['c', 2, 1e9 - 300, false] },
  'late: the next step is shown from its beginning': { offsetMs: 1e9, atMost: 0, want: ['a', 0, 0, true] },
  'late by two': { offsetMs: 1e9, atMost: 1, want: ['b', 1, 0, true] },
  'in time': { offsetMs: 150, atMost: 1, want: ['b', 1, 50, false] },
};
for (const [name, { offsetMs, atMost, want }] of Object.entries(cases))
  test(name, () => {
    const { stretch, step, insideMs, isLate } = positionAt(line, offsetMs, atMost);
    assert.deepEqual([stretch.moment, step, insideMs, isLate], want);
  });

test('what was passed is told in order, what has no length included', () => {
  const passed: string[] = [];
  positionAt(line, 1e9, undefined, ({ moment }) => passed.push(moment));
  assert.deepEqual(passed, ['a', 'never seen', 'b']);
});

test('a timeline that ends is a mistake', () => {
  assert.throws(() => positionAt([{ lengthMs: 1, moment: 'a' }], 5), /must not end/);
});
