import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LedgerEntry } from './entry.ts';
import { anEntry, ledgers } from './ledger.arbitrary.ts';
import { formatLedger, type Ledger, type LedgerReading, parseLedger } from './ledger.ts';
import { emptyLedger, ledgerManifest } from './manifest.ts';

test('every ledger is read back as it was written', () => {
  fc.assert(fc.property(ledgers, (ledger) => assert.deepEqual(parseLedger(formatLedger(ledger)), { kind: 'ledger', ledger })));
});

test('what is known of an earlier version changes nothing that is read, and an entry that stayed is the same one', () => {
  const turned = (entry: LedgerEntry): LedgerEntry => ({ ...entry, state: entry.state === 'open' ? 'closing' : 'open' });
  fc.assert(
    fc.property(ledgers, fc.infiniteStream(fc.boolean()), (earlier, changes) => {
      const entries = [...earlier.entries].map(([uid, entry]) => ({ uid, entry, isChanged: changes.next().value === true }));
      const later = {
        ...earlier,
        entries: new Map(entries.map(({ uid, entry, isChanged }) => [uid, isChanged ? turned(entry) : entry])),
      };
      const reading = parseLedger(formatLedger(later), earlier.entries);
      assert.deepEqual(reading, { kind: 'ledger', ledger: later });
      for (const { uid, entry, isChanged } of entries)
        assert.equal(reading.kind === 'ledger' && reading.ledger.entries.get(uid) === entry, !isChanged, uid);
    }),
  );
});

test('the order in which parts were added never shows', () => {
  const reversed = <V>(map: ReadonlyMap<string, V>) => new Map([...map].reverse());
  fc.assert(
    fc.property(ledgers, (ledger) => {
      const other: Ledger = {
        ...ledger,
        policy: reversed(ledger.policy),
        entries: reversed(ledger.entries),
        unknown: reversed(ledger.unknown),
      };
      assert.equal(JSON.stringify(formatLedger(other)), JSON.stringify(formatLedger(ledger)));
    }),
  );
});

test('no data makes reading fail, and what was read is written back unchanged', () => {
  const keys = fc.oneof(fc.constantFrom('schema', 'limit', 'seq', 'entry.a', 'policy.a', '__proto__'), fc.string());
  const edits = fc.dictionary(keys, fc.oneof(fc.constantFrom('1', '0', '1001', '-1', '1e3', '4.5', ''), fc.string()), {
    maxKeys: 2,
  });
  const edited = fc.tuple(ledgers, edits).map(([ledger, edit]) => ({ ...formatLedger(ledger), ...edit }));
  fc.assert(
    fc.property(fc.oneof(edits, edited), (given) => {
      const reading = parseLedger(given);
      if (reading.kind === 'ledger') assert.deepEqual(formatLedger(reading.ledger), { ...given });
    }),
  );
});

test('1000 entries stay well below the size of an object', () => {
  const uid = (n: number) => `9f1c2d3e-4b5a-4c6d-8e7f-${String(n).padStart(12, '0')}`;
  const entry = { ...anEntry, image: `${'n'.repeat(63)}/${'i'.repeat(253)}`, seq: Number.MAX_SAFE_INTEGER };
  const entries = new Map(Array.from({ length: 1000 }, (_, n) => [uid(n), entry]));
  const bytes = JSON.stringify(ledgerManifest({ ...emptyLedger, limit: 1000, entries })).length;
  assert.ok(bytes < 600_000, `${bytes} bytes`);
});

const good = formatLedger({ ...emptyLedger, entries: new Map([['uid-1', anEntry]]) });
const read: Record<string, { given: Record<string, string> | undefined; want: LedgerReading }> = {
  'no data at all': { given: undefined, want: { kind: 'damaged', problems: ['key schema is missing'] } },
  'a layout of another version': {
    given: { ...good, schema: '2', limit: 'many' },
    want: {
      kind: 'unknownSchema',
      schema: '2',
      message: 'the ledger has schema 2, this version knows 1 only: it is read, never written; run the version that wrote it',
    },
  },
  'all problems at once': {
    given: { ...good, limit: '1001', seq: '-1', 'entry.uid-2': '{}' },
    want: {
      kind: 'damaged',
      problems: [
        'key entry.uid-2 has no field image',
        'key limit is "1001", not a whole number from 0 to 1000',
        'key seq is "-1", not a whole number from 0 to 9007199254740991',
      ],
    },
  },
  'a limit that is missing': {
    given: { schema: '1', seq: '0' },
    want: { kind: 'damaged', problems: ['key limit is missing, not a whole number from 0 to 1000'] },
  },
};

for (const [name, { given, want }] of Object.entries(read)) {
  test(`reading ${name}`, () => assert.deepEqual(parseLedger(given), want));
}

test('a new ledger has the defaults of the sync policy, in the namespace of the installation', () => {
  assert.deepEqual(ledgerManifest(emptyLedger, { operatorNamespace: 'labs' }), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'sync-operator-slots', namespace: 'labs' },
    data: {
      limit: '4',
      'policy.allowInternalSources': 'false',
      'policy.imageNamespace': 'vmdi-farm',
      schema: '1',
      seq: '0',
    },
  });
});
