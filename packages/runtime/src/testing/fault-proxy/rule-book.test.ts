import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultRule } from './plan.ts';
import { RuleBook } from './rule-book.ts';

const create = { verb: 'create', group: '', version: 'v1', resource: 'configmaps', namespace: 'lab' } as const;
const lease = {
  verb: 'update',
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'lab',
  name: 'leader',
} as const;
const event = { type: 'ADDED', group: '', resource: 'configmaps', namespace: 'lab', name: 'a' };

/** Which of the first `count` occurrences are hit. */
function hits(rule: FaultRule, count: number, seed = 1): number[] {
  const book = new RuleBook({ seed, rules: [rule] });
  return Array.from({ length: count }, (_, index) => index + 1).filter(() => book.forRequest(create) !== undefined);
}

const occurrences: Record<string, { nth: NonNullable<FaultRule['nth']>; want: number[] }> = {
  'one of them': { nth: 3, want: [3] },
  'several of them': { nth: [1, 4], want: [1, 4] },
  'a span of them': { nth: { from: 2, to: 3 }, want: [2, 3] },
  'all from one on': { nth: { from: 4 }, want: [4, 5] },
};
for (const [name, { nth, want }] of Object.entries(occurrences)) {
  test(`a rule hits ${name}`, () => {
    assert.deepEqual(hits({ on: 'request', nth, do: { fault: 'refuse' } }, 5), want);
  });
}

test('only what matches is counted', () => {
  const book = new RuleBook({
    rules: [{ on: 'request', match: { verb: 'write', not: { resource: 'leases' } }, nth: 2, do: { fault: 'refuse' } }],
  });
  const fired = [create, lease, lease, create, create].map((call) => book.forRequest(call) !== undefined);
  assert.deepEqual(fired, [false, false, false, true, false]);
});

test('the first rule that fires decides, and the others count on', () => {
  const book = new RuleBook({
    rules: [
      { on: 'request', nth: 1, do: { fault: 'refuse' } },
      { on: 'request', nth: [1, 2], do: { fault: 'hang' } },
    ],
  });
  assert.deepEqual(
    [create, create, create].map((call) => book.forRequest(call)?.do.fault),
    ['refuse', 'hang', undefined],
  );
});

test('a share is drawn by the seed: the same seed hits the same, another one others', () => {
  const rule: FaultRule = { on: 'request', share: 0.3, do: { fault: 'refuse' } };
  const drawn = hits(rule, 1000, 7);
  assert.deepEqual(hits(JSON.parse(JSON.stringify(rule)) as FaultRule, 1000, 7), drawn);
  assert.deepEqual(hits(rule, 1000, 7), drawn);
  assert.notDeepEqual(hits(rule, 1000, 8), drawn);
  assert.ok(drawn.length > 250 && drawn.length < 350, `${drawn.length} of 1000`);
});

test('events are matched by what they tell of', () => {
  const book = new RuleBook({
    rules: [{ on: 'event', match: { type: 'ADDED', resource: 'configmaps', name: 'a' }, do: { fault: 'drop' } }],
  });
  const others = [
    { ...event, type: 'DELETED' },
    { ...event, name: 'b' },
    { ...event, resource: 'secrets' },
  ];
  assert.deepEqual(
    [event, ...others].map((facts) => book.forEvent(facts)?.do.fault),
    ['drop', undefined, undefined, undefined],
  );
});
