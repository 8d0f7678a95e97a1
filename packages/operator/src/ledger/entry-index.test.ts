import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '@terrain/api';
import { EntryIndex } from './entry-index.ts';

const entry = (attempt: number, state: LedgerEntry['state']): ReadonlyMap<string, LedgerEntry> =>
  new Map([['u', { image: 'farm/a', attempt, seq: attempt, since: '2026-01-01T00:00:00Z', state }]]);

const versions: Record<string, { given: readonly ReadonlyMap<string, LedgerEntry>[]; want: readonly (number | undefined)[] }> = {
  'an open one is not closing': { given: [entry(1, 'open')], want: [undefined] },
  'one counts from when it was first seen closing': {
    given: [entry(1, 'open'), entry(1, 'closing'), entry(1, 'closing')],
    want: [undefined, 1, 1],
  },
  'another attempt counts anew, also when its opening was not seen': {
    given: [entry(1, 'closing'), entry(2, 'closing')],
    want: [0, 1],
  },
  'one that went is forgotten': { given: [entry(1, 'closing'), new Map(), entry(2, 'closing')], want: [0, undefined, 2] },
};
for (const [name, { given, want }] of Object.entries(versions))
  test(`since when an entry is closing: ${name}`, () => {
    const index = new EntryIndex();
    const seen = given.map((after, at) => {
      index.update(given[at - 1] ?? new Map(), after, at);
      return index.closingSince('u');
    });
    assert.deepEqual(seen, want);
  });
