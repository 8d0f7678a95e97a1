/** What to do when the ledger is gone, or can no longer be read as a whole. */
import { emptyLedger, type Ledger, type LedgerEntry, ledgerSchema, parseLedger } from '@terrain/api';
import { type PolicyTexts, policyOf } from '#policy/policy.ts';

/** A download that is under way, as a live list of DataVolumes shows it. */
export type RunningImport = {
  /** UID of the VMDiskImage. */
  readonly uid: string;
  /** `namespace/name` of the VMDiskImage. */
  readonly image: string;
  readonly attempt: number;
  /** When its DataVolume was made. */
  readonly since: string;
  /** Its DataVolume is being deleted. */
  readonly isEnding: boolean;
};

/**
 * A ledger that holds every download there is, also above the limit: a running import is never killed for want of a ledger.
 *
 * `salvaged` is what could still be read of the old one. Its entries stay: one whose DataVolume does not exist yet holds its slot too.
 */
export function rebuildLedger(
  running: readonly RunningImport[],
  salvaged: Ledger = emptyLedger,
  policy: PolicyTexts = salvaged.policy,
): Ledger {
  const entries = new Map<string, LedgerEntry>(salvaged.entries);
  let seq = Math.max(salvaged.seq, ...[...entries.values()].map((entry) => entry.seq));
  const inOrder = [...running].sort(
    (a, b) => compareText(a.since, b.since) || compareText(a.image, b.image) || a.attempt - b.attempt,
  );
  for (const { uid, image, attempt, since, isEnding } of inOrder) {
    const known = entries.get(uid);
    // An image has one slot: of two downloads the later attempt is the one that counts, the other is a stray.
    if (known !== undefined && known.attempt >= attempt) continue;
    entries.set(uid, { image, attempt, seq: ++seq, since, state: isEnding ? 'closing' : 'open' });
  }
  return { ...salvaged, policy, entries, seq, limit: policyOf(policy).concurrency };
}

/**
 * What of a damaged ledger can still be read, key by key. What cannot is left out: the downloads it may have stood for are found by a
 * live list.
 */
export function salvageLedger(data: Readonly<Record<string, string>> | undefined): Ledger {
  const entries = new Map<string, LedgerEntry>();
  const policy = new Map<string, string>();
  const unknown = new Map<string, string>();
  let seq = 0;
  let policyResourceVersion: string | undefined;
  for (const [key, value] of Object.entries(data ?? {})) {
    if (key === 'schema' || key === 'limit') continue;
    const reading = parseLedger({ schema: ledgerSchema, limit: '0', seq: '0', [key]: value });
    if (reading.kind !== 'ledger') continue;
    const { ledger } = reading;
    for (const [uid, entry] of ledger.entries) entries.set(uid, entry);
    for (const [name, text] of ledger.policy) policy.set(name, text);
    for (const [name, text] of ledger.unknown) unknown.set(name, text);
    seq = Math.max(seq, ledger.seq);
    policyResourceVersion ??= ledger.policyResourceVersion;
  }
  const texts = policy.size === 0 ? emptyLedger.policy : policy;
  return { limit: policyOf(texts).concurrency, seq, policy: texts, policyResourceVersion, entries, unknown };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
