import { formatEntry, type LedgerEntry, parseEntry } from './entry.ts';
import { entryPrefix, ledgerSchema, maxLimit, policyPrefix } from './layout.ts';

/** What the ledger says: the limit in force, the policy in force, and who holds a slot. */
export type Ledger = {
  readonly limit: number;
  readonly seq: number;
  /** Values of the sync policy in force, by their key there. */
  readonly policy: ReadonlyMap<string, string>;
  /** Resource version of the policy ConfigMap these values came from; undefined before the first was read. */
  readonly policyResourceVersion: string | undefined;
  /** Running attempts by the UID of their VMDiskImage. */
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** Keys this version gives no meaning to; written back as they were. */
  readonly unknown: ReadonlyMap<string, string>;
};

/**
 * What came out of reading a ledger.
 *
 * Only `ledger` may be written back. `unknownSchema` was written by another version: read only. `damaged` was edited by hand: writing
 * it back would lose what could not be read, and with it a slot that is in use.
 */
export type LedgerReading =
  | { readonly kind: 'ledger'; readonly ledger: Ledger }
  | { readonly kind: 'unknownSchema'; readonly schema: string; readonly message: string }
  | { readonly kind: 'damaged'; readonly problems: readonly string[] };

/**
 * Reads the data of the ledger's ConfigMap. All problems are reported at once, each a sentence that names the key.
 *
 * `known` are the entries of an earlier version: most of a hundred are still the same, and an entry with the same text is that same entry.
 */
export function parseLedger(
  data: Readonly<Record<string, string>> | undefined,
  known: Ledger['entries'] = noEntries,
): LedgerReading {
  const given = new Map(Object.entries(data ?? {}));
  const schema = given.get('schema');
  if (schema === undefined) return { kind: 'damaged', problems: ['key schema is missing'] };
  if (schema !== ledgerSchema) {
    const message = `the ledger has schema ${schema}, this version knows ${ledgerSchema} only: it is read, never written; run the version that wrote it`;
    return { kind: 'unknownSchema', schema, message };
  }

  const problems: string[] = [];
  const entries = new Map<string, LedgerEntry>();
  const policy = new Map<string, string>();
  const unknown = new Map<string, string>();
  for (const [key, value] of given) {
    if (key.startsWith(policyPrefix)) policy.set(key.slice(policyPrefix.length), value);
    else if (!key.startsWith(entryPrefix)) {
      if (!wellKnown.has(key)) unknown.set(key, value);
    } else {
      const uid = key.slice(entryPrefix.length);
      const before = known.get(uid);
      const entry = before !== undefined && formatEntry(before) === value ? before : parseEntry(value);
      if (typeof entry === 'string') problems.push(`key ${key} ${entry}`);
      else entries.set(uid, entry);
    }
  }
  const limit = wholeNumber(given, 'limit', maxLimit, problems);
  const seq = wholeNumber(given, 'seq', Number.MAX_SAFE_INTEGER, problems);
  if (problems.length > 0) return { kind: 'damaged', problems };
  const policyResourceVersion = given.get('policyResourceVersion');
  return { kind: 'ledger', ledger: { limit, seq, policy, policyResourceVersion, entries, unknown } };
}

/** The data of the ConfigMap: the same ledger always gives the same text, whatever order its parts were added in. */
export function formatLedger(ledger: Ledger): Record<string, string> {
  const { limit, seq, policyResourceVersion } = ledger;
  const pairs: [string, string][] = [
    ...ledger.unknown,
    ['schema', ledgerSchema],
    ['limit', String(limit)],
    ['seq', String(seq)],
    ...(policyResourceVersion === undefined ? [] : [['policyResourceVersion', policyResourceVersion] as [string, string]]),
    ...[...ledger.policy].map(([key, value]): [string, string] => [policyPrefix + key, value]),
    ...[...ledger.entries].map(([uid, entry]): [string, string] => [entryPrefix + uid, formatEntry(entry)]),
  ];
  const data = new Map(pairs);
  return Object.fromEntries([...data.keys()].sort().map((key) => [key, data.get(key) as string]));
}

const noEntries: Ledger['entries'] = new Map();
const wellKnown: ReadonlySet<string> = new Set(['schema', 'limit', 'seq', 'policyResourceVersion']);

function wholeNumber(data: ReadonlyMap<string, string>, key: string, max: number, problems: string[]): number {
  const value = data.get(key);
  const number = value !== undefined && /^(0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : Number.NaN;
  if (number <= max) return number;
  problems.push(`key ${key} is ${value === undefined ? 'missing' : `"${value}"`}, not a whole number from 0 to ${max}`);
  return 0;
}
