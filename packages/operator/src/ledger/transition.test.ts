import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, formatLedger, type Ledger, type LedgerEntry, parseLedger } from '@terrain/api';
import fc from 'fast-check';
import { readPolicy } from '#policy/policy.ts';
import type { Waiting } from '#queue/sync-queue.ts';
import { admit, applyChanges, isSameLedger, type LedgerChange, roomIn } from './transition.ts';

const at = '2026-01-15T10:00:00.000Z';
const texts = (data: Record<string, string>) => readPolicy(data, new Map()).texts;
const anEntry = (change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  image: 'farm/a',
  attempt: 1,
  seq: 1,
  since: at,
  state: 'open',
  ...change,
});
const aLedger = (entries: Record<string, LedgerEntry> = {}, change: Partial<Ledger> = {}): Ledger => ({
  ...emptyLedger,
  policy: texts({}),
  seq: 9,
  entries: new Map(Object.entries(entries)),
  ...change,
});
const aWaiting = (uid: string, change: Partial<Waiting> = {}): Waiting => ({
  uid,
  key: `farm/${uid}`,
  namespace: 'farm',
  queuedAtMs: 0,
  ticket: 0n,
  attempt: 1,
  isSettled: true,
  ...change,
});

const changes: Record<string, { given: Ledger; change: LedgerChange; want: Ledger }> = {
  'closing keeps the slot': {
    given: aLedger({ u: anEntry() }),
    change: { kind: 'close', uid: 'u', attempt: 1 },
    want: aLedger({ u: anEntry({ state: 'closing' }) }),
  },
  'closing another attempt changes nothing': {
    given: aLedger({ u: anEntry({ attempt: 2 }) }),
    change: { kind: 'close', uid: 'u', attempt: 1 },
    want: aLedger({ u: anEntry({ attempt: 2 }) }),
  },
  'closing what is gone changes nothing': {
    given: aLedger(),
    change: { kind: 'close', uid: 'u', attempt: 1 },
    want: aLedger(),
  },
  'releasing frees the slot': {
    given: aLedger({ u: anEntry({ state: 'closing' }), v: anEntry({ image: 'farm/b' }) }),
    change: { kind: 'release', uid: 'u', attempt: 1 },
    want: aLedger({ v: anEntry({ image: 'farm/b' }) }),
  },
  'a late release of an earlier attempt leaves the running one its slot': {
    given: aLedger({ u: anEntry({ attempt: 2 }) }),
    change: { kind: 'release', uid: 'u', attempt: 1 },
    want: aLedger({ u: anEntry({ attempt: 2 }) }),
  },
  'what is found running is taken in': {
    given: aLedger(),
    change: { kind: 'adopt', uid: 'u', image: 'farm/a', attempt: 4, state: 'open' },
    want: aLedger({ u: anEntry({ attempt: 4, seq: 10 }) }, { seq: 10 }),
  },
  'what is found running above the limit raises it for this one write': {
    given: aLedger({ u: anEntry() }, { policy: texts({ concurrency: '1' }), limit: 1 }),
    change: { kind: 'adopt', uid: 'v', image: 'farm/b', attempt: 1, state: 'open' },
    want: aLedger(
      { u: anEntry(), v: anEntry({ image: 'farm/b', seq: 10 }) },
      { seq: 10, policy: texts({ concurrency: '1' }), limit: 2 },
    ),
  },
  'what is found running while its slot was being given back is still being given back': {
    given: aLedger(),
    change: { kind: 'adopt', uid: 'u', image: 'farm/a', attempt: 4, state: 'closing' },
    want: aLedger({ u: anEntry({ attempt: 4, seq: 10, state: 'closing' }) }, { seq: 10 }),
  },
  'what has a slot is not taken in a second time': {
    given: aLedger({ u: anEntry({ state: 'closing' }) }),
    change: { kind: 'adopt', uid: 'u', image: 'farm/a', attempt: 2, state: 'open' },
    want: aLedger({ u: anEntry({ state: 'closing' }) }),
  },
  'a new policy comes with its limit': {
    given: aLedger(),
    change: { kind: 'policy', texts: texts({ concurrency: '7' }), resourceVersion: '12' },
    want: aLedger({}, { limit: 7, policy: texts({ concurrency: '7' }), policyResourceVersion: '12' }),
  },
  'an older policy is refused, by number and not by text': {
    given: aLedger({}, { policyResourceVersion: '100' }),
    change: { kind: 'policy', texts: texts({ concurrency: '7' }), resourceVersion: '99' },
    want: aLedger({}, { policyResourceVersion: '100' }),
  },
};
for (const [name, { given, change, want }] of Object.entries(changes))
  test(name, () => {
    const once = applyChanges(given, [change], at);
    assert.deepEqual(once, want);
    const isRaised = want.limit > 1 && want.policy.get('concurrency') === '1';
    const twice = applyChanges(once, [change], at);
    assert.ok(
      isSameLedger(twice, isRaised ? { ...want, limit: 1 } : want),
      'applied twice it is the same, with the limit in force',
    );
  });

test('a limit somebody edited is put right by the next write, whatever that is for', () => {
  assert.equal(applyChanges(aLedger({}, { limit: 900 }), [], at).limit, 4);
});

test('a ledger that says it all already is not copied, however often it is asked', () => {
  const ledger = aLedger({ a: anEntry() });
  assert.equal(applyChanges(ledger, [], at), ledger);
  assert.equal(admit(ledger, [], at), ledger);
  assert.equal(admit(ledger, [aWaiting('a')], at), ledger);
});

test('lowering the limit below what runs kills nothing and admits nobody', () => {
  const running = aLedger({ a: anEntry(), b: anEntry(), c: anEntry() });
  const lowered = applyChanges(running, [{ kind: 'policy', texts: texts({ concurrency: '1' }), resourceVersion: '1' }], at);
  assert.deepEqual([lowered.entries.size, lowered.limit, roomIn(lowered).count], [3, 1, 0]);
  const afterOne = applyChanges(lowered, [{ kind: 'release', uid: 'a', attempt: 1 }], at);
  assert.deepEqual(admit(afterOne, [aWaiting('d')], at), afterOne);
});

test('one write can release, raise the limit and admit many, with seq in the order chosen', () => {
  const before = aLedger({ a: anEntry() }, { policy: texts({ concurrency: '1' }), limit: 1 });
  const changed = applyChanges(
    before,
    [
      { kind: 'release', uid: 'a', attempt: 1 },
      { kind: 'policy', texts: texts({ concurrency: '3' }), resourceVersion: '5' },
    ],
    at,
  );
  const after = admit(
    changed,
    ['x', 'y', 'z', 'w'].map((uid) => aWaiting(uid)),
    at,
  );
  assert.deepEqual(
    [...after.entries].map(([uid, { seq }]) => [uid, seq]),
    [
      ['x', 10],
      ['y', 11],
      ['z', 12],
    ],
  );
  assert.deepEqual([after.limit, after.seq], [3, 12]);
});

test('concurrency 0 admits nobody', () => {
  const paused = applyChanges(aLedger(), [{ kind: 'policy', texts: texts({ concurrency: '0' }), resourceVersion: '1' }], at);
  assert.equal(admit(paused, [aWaiting('x')], at), paused);
});

test('who holds a slot is not admitted again, and takes nobody else’s room', () => {
  const ledger = aLedger({ x: anEntry() }, { policy: texts({ concurrency: '2' }), limit: 2 });
  assert.deepEqual([...admit(ledger, [aWaiting('x'), aWaiting('y')], at).entries.keys()], ['x', 'y']);
});

test('numbers go on above the highest ever seen, also when somebody lowered seq', () => {
  const edited = aLedger({ a: anEntry({ seq: 30 }) }, { seq: 2 });
  assert.equal(admit(edited, [aWaiting('b')], at).entries.get('b')?.seq, 31);
  assert.equal(admit(edited, [aWaiting('b')], at, 77).entries.get('b')?.seq, 78);
});

test('slots are counted by namespace', () => {
  const ledger = aLedger({ a: anEntry(), b: anEntry({ image: 'other/b' }), c: anEntry({ image: 'farm/c' }) });
  assert.deepEqual(roomIn(ledger), {
    count: 1,
    held: new Map([
      ['farm', 2],
      ['other', 1],
    ]),
    namespaceShare: 'off',
  });
});

test('after any changes: entries are only ever added within the limit, numbers only grow, the text is one the API server can read', () => {
  const uid = fc.constantFrom('u1', 'u2', 'u3', 'u4', 'u5');
  const attempt = fc.integer({ min: 1, max: 3 });
  const change: fc.Arbitrary<LedgerChange> = fc.oneof(
    fc.record({ kind: fc.constant('close' as const), uid, attempt }),
    fc.record({ kind: fc.constant('release' as const), uid, attempt }),
    fc.record({
      kind: fc.constant('adopt' as const),
      uid,
      attempt,
      image: fc.constant('farm/x'),
      state: fc.constantFrom('open' as const, 'closing' as const),
    }),
    fc.record({
      kind: fc.constant('policy' as const),
      resourceVersion: fc.integer({ min: 1, max: 50 }).map(String),
      texts: fc.integer({ min: 0, max: 4 }).map((limit) => texts({ concurrency: String(limit) })),
    }),
  );
  const write = fc.record({
    changes: fc.array(change, { maxLength: 4 }),
    queued: fc.array(fc.tuple(uid, attempt), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 30 }), (writes) => {
      let ledger = aLedger();
      for (const { changes: made, queued } of writes) {
        const changed = applyChanges(ledger, made, at);
        const next = admit(
          changed,
          queued.map(([id, number]) => aWaiting(id, { attempt: number })),
          at,
        );
        const added = [...next.entries.keys()].filter((id) => !ledger.entries.has(id));
        assert.ok(added.length === 0 || next.entries.size <= next.limit, 'the policy of the API server would refuse it');
        assert.ok(next.seq >= ledger.seq);
        const reopened = [...next.entries].filter(
          ([id, entry]) =>
            entry.state === 'open' && ledger.entries.get(id)?.state === 'closing' && ledger.entries.get(id)?.seq === entry.seq,
        );
        assert.deepEqual(reopened, [], 'closing never goes back to open');
        assert.deepEqual(parseLedger(formatLedger(next)).kind, 'ledger');
        ledger = next;
      }
    }),
    { numRuns: 150 },
  );
});
