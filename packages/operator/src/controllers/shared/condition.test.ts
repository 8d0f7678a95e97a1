import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, instantMs } from './condition.ts';
import { findingsOf } from './finding.ts';

const { yes, no } = findingsOf<'Ready' | 'Waiting'>();
const context = { before: [], generation: 2, nowMs: Date.parse('2026-01-15T10:00:00.700Z'), longest: 20 };

test('a condition that is new has the time of now, in whole seconds', () => {
  assert.deepEqual(conditionOf('Ready', no('Waiting', 'waits'), context), {
    type: 'Ready',
    status: 'False',
    reason: 'Waiting',
    message: 'waits',
    observedGeneration: 2,
    lastTransitionTime: '2026-01-15T10:00:00Z',
  });
});

test('the time is that of the last change of status, whatever the words', () => {
  const lastTransitionTime = '2026-01-15T09:00:00Z';
  const before = [{ type: 'Ready', status: 'False' as const, reason: 'Other', message: 'other', lastTransitionTime }];
  assert.equal(conditionOf('Ready', no('Waiting', 'waits'), { ...context, before }).lastTransitionTime, lastTransitionTime);
  assert.notEqual(conditionOf('Ready', yes('Ready', 'is'), { ...context, before }).lastTransitionTime, lastTransitionTime);
});

test('a message that is too long shows that it was cut', () => {
  const { message } = conditionOf('Ready', no('Waiting', 'x'.repeat(30)), context);
  assert.deepEqual([message?.length, message?.at(-1)], [20, '…']);
});

test('a text that is no time is none', () => {
  assert.deepEqual(
    [instantMs('2026-01-15T10:00:00Z'), instantMs('soon'), instantMs(undefined)],
    [1768471200000, undefined, undefined],
  );
});
