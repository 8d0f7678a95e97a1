import fc from 'fast-check';
import type { LedgerEntry } from './entry.ts';
import { maxLimit } from './layout.ts';
import type { Ledger } from './ledger.ts';

/** An entry as in the documentation of the layout. */
export const anEntry: LedgerEntry = {
  image: 'vmdi-farm/demo-vmdi',
  attempt: 3,
  seq: 17,
  since: '2026-01-15T10:00:00Z',
  state: 'open',
};

const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const instants = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Any legal entry. */
export const entries: fc.Arbitrary<LedgerEntry> = fc.record(
  {
    image: fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?\/[a-z0-9]([-.a-z0-9]{0,20}[a-z0-9])?$/),
    attempt: positive,
    seq: positive,
    since: instants,
    state: fc.constantFrom('open', 'closing'),
  },
  { noNullPrototype: true },
);

const keys = fc.oneof(fc.stringMatching(/^[-._a-zA-Z0-9]{1,20}$/), fc.constantFrom('__proto__', 'constructor', 'toString'));
const values = fc.string();
const wellKnown = new Set(['schema', 'limit', 'seq', 'policyResourceVersion']);

/** Any ledger this version could have written. */
export const ledgers: fc.Arbitrary<Ledger> = fc.record(
  {
    limit: fc.integer({ min: 0, max: maxLimit }),
    seq: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    policy: fc.array(fc.tuple(keys, values)).map((pairs) => new Map(pairs)),
    policyResourceVersion: fc.option(fc.stringMatching(/^[1-9][0-9]{0,18}$/), { nil: undefined }),
    entries: fc.array(fc.tuple(fc.uuid(), entries)).map((pairs) => new Map(pairs)),
    unknown: fc
      .array(fc.tuple(keys, values))
      .map((pairs) => new Map(pairs.filter(([key]) => !wellKnown.has(key) && !/^(entry|policy)\./.test(key)))),
  },
  { noNullPrototype: true },
);
