import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './bench.ts';
import { printed } from './print.ts';

test('a goal is an upper bound unless the row says otherwise', () => {
  assert.equal(judge({ name: 'a', value: 3, unit: 's', goal: 2 }).pass, false);
  assert.equal(judge({ name: 'a', value: 3, unit: 's', goal: 2, atLeast: true }).pass, true);
  for (const [value, pass] of [
    [0, false],
    [1, true],
    [2, false],
  ] as const)
    assert.equal(judge({ name: 'a', value, unit: 'downloads', goal: 1, exactly: true }).pass, pass);
  assert.equal(judge({ name: 'a', value: 3, unit: 's' }).pass, null);
});

test('a missed goal is said in so many words', () => {
  const facts = { cpu: 'X', cores: 2, memoryGiB: 24, kernel: '6', loadAverage: 0 };
  const text = printed('foundation', facts, { node: '26' }, [judge({ name: 'start', value: 16.04, unit: 's', goal: 15 })]);
  assert.equal(text, 'foundation on 2 cores (X), 24 GiB, Linux 6, load 0; node 26\nstart  16.04 s         <= 15       MISSED\n');
});
