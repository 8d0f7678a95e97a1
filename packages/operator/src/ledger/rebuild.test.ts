import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, formatLedger, type LedgerEntry } from '@terrain/api';
import { type RunningImport, rebuildLedger, salvageLedger } from './rebuild.ts';

const entry: LedgerEntry = { image: 'farm/a', attempt: 2, seq: 5, since: '2026-01-15T10:00:00Z', state: 'open' };
const anImport = (change: Partial<RunningImport> = {}): RunningImport => ({
  uid: 'u',
  image: 'farm/a',
  attempt: 1,
  since: '2026-01-15T10:00:00Z',
  isEnding: false,
  ...change,
});

test('every running download gets its entry back, oldest first, also above the limit', () => {
  const running = [3, 1, 2, 5, 4].map((number) =>
    anImport({ uid: `u${number}`, image: `farm/${number}`, since: `2026-01-15T10:00:0${number}Z` }),
  );
  const ledger = rebuildLedger(running);
  assert.deepEqual(
    [...ledger.entries].map(([uid, { seq, state }]) => [uid, seq, state]),
    [1, 2, 3, 4, 5].map((number) => [`u${number}`, number, 'open']),
  );
  assert.deepEqual([ledger.limit, ledger.seq], [4, 5]);
});

test('what is being deleted may not create again', () => {
  assert.equal(rebuildLedger([anImport({ isEnding: true })]).entries.get('u')?.state, 'closing');
});

test('of two downloads of one image the later attempt counts', () => {
  const ledger = rebuildLedger([anImport({ attempt: 2 }), anImport({ attempt: 1, since: '2026-01-15T11:00:00Z' })]);
  assert.deepEqual(
    [...ledger.entries.values()].map(({ attempt }) => attempt),
    [2],
  );
});

test('the policy that is known counts, and its limit with it', () => {
  const ledger = rebuildLedger([], emptyLedger, new Map([['concurrency', '9']]));
  assert.deepEqual([ledger.limit, ledger.policy.get('concurrency')], [9, '9']);
});

const damaged: Record<
  string,
  { given: Record<string, string> | undefined; want: { entries: string[]; seq: number; concurrency?: string } }
> = {
  'nothing at all': { given: undefined, want: { entries: [], seq: 0 } },
  emptied: { given: {}, want: { entries: [], seq: 0 } },
  'one entry is no JSON': {
    given: { ...formatLedger({ ...emptyLedger, seq: 7, entries: new Map([['good', entry]]) }), 'entry.bad': '{' },
    want: { entries: ['good'], seq: 7 },
  },
  'the limit is a word, the policy is still there': {
    given: { schema: '1', limit: 'lots', seq: '3', 'policy.concurrency': '8' },
    want: { entries: [], seq: 3, concurrency: '8' },
  },
  'seq is a word': {
    given: { schema: '1', limit: '4', seq: 'x', 'entry.good': JSON.stringify(entry) },
    want: { entries: ['good'], seq: 0 },
  },
};
for (const [name, { given, want }] of Object.entries(damaged))
  test(`salvage: ${name}`, () => {
    const ledger = salvageLedger(given);
    assert.deepEqual([[...ledger.entries.keys()], ledger.seq], [want.entries, want.seq]);
    if (want.concurrency !== undefined) assert.equal(ledger.policy.get('concurrency'), want.concurrency);
  });

test('a salvaged entry without a DataVolume keeps its slot, and numbers go on above it', () => {
  const ledger = rebuildLedger(
    [anImport({ uid: 'new', image: 'farm/new' })],
    salvageLedger({ 'entry.old': JSON.stringify(entry) }),
  );
  assert.deepEqual(
    [...ledger.entries].map(([uid, { seq }]) => [uid, seq]),
    [
      ['old', 5],
      ['new', 6],
    ],
  );
});
