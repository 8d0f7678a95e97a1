/**
 * What may become of the ledger, as pure functions: the writer in keeper.ts only carries the result to the API server.
 *
 * Every change is judged against the ledger it meets, so repeating one, or applying it to a ledger somebody else has changed
 * meanwhile, does no harm.
 */
import { type Ledger, type LedgerEntry, maxLimit } from '@terrain/api';
import { isSamePolicy, type PolicyTexts, policyOf } from '#policy/policy.ts';
import type { Room, Waiting } from '#queue/sync-queue.ts';

/** One thing to be done to the ledger. */
export type LedgerChange =
  /** These values are in force, as of this resource version of the policy ConfigMap. */
  | { readonly kind: 'policy'; readonly texts: PolicyTexts; readonly resourceVersion: string }
  /** The attempt is over: nothing may be created for it any more, the slot is still held. */
  | { readonly kind: 'close'; readonly uid: string; readonly attempt: number }
  /** Nothing of the attempt downloads any more: the slot is free. */
  | { readonly kind: 'release'; readonly uid: string; readonly attempt: number }
  /** A download was found running that the ledger does not know, because somebody edited the ledger. */
  | ({ readonly kind: 'adopt'; readonly uid: string } & Pick<LedgerEntry, 'image' | 'attempt' | 'state'>);

/** The ledger after some changes. */
export function applyChanges(ledger: Ledger, changes: readonly LedgerChange[], since: string): Ledger {
  // As a rule nothing has happened that the ledger does not say already.
  if (changes.length === 0 && ledger.limit === policyOf(ledger.policy).concurrency) return ledger;
  let { policy, policyResourceVersion, seq } = ledger;
  const entries = new Map(ledger.entries);
  let hasAdopted = false;
  for (const change of changes) {
    switch (change.kind) {
      case 'policy':
        if (isOlder(change.resourceVersion, policyResourceVersion)) break;
        policy = change.texts;
        policyResourceVersion = change.resourceVersion;
        break;
      case 'close': {
        const entry = entries.get(change.uid);
        if (entry?.attempt === change.attempt) entries.set(change.uid, { ...entry, state: 'closing' });
        break;
      }
      case 'release':
        if (entries.get(change.uid)?.attempt === change.attempt) entries.delete(change.uid);
        break;
      case 'adopt': {
        if (entries.has(change.uid)) break;
        const { image, attempt, state } = change;
        entries.set(change.uid, { image, attempt, seq: ++seq, since, state });
        hasAdopted = true;
        break;
      }
    }
  }
  const { concurrency } = policyOf(policy);
  // What is running already cannot be wished away: for one write the limit follows it, and the next one lowers it again.
  const limit = hasAdopted ? Math.min(maxLimit, Math.max(concurrency, entries.size)) : concurrency;
  return { ...ledger, policy, policyResourceVersion, seq, entries, limit };
}

/** How many more may be admitted. */
export function freeSlots({ limit, policy, entries }: Ledger): number {
  // The lower of the two: a limit that was raised for something found running is not an invitation.
  return Math.max(0, Math.min(limit, policyOf(policy).concurrency) - entries.size);
}

/** How many more may be admitted, and from which namespaces. */
export function roomIn(ledger: Ledger): Room {
  const held = new Map<string, number>();
  for (const { image } of ledger.entries.values()) {
    const namespace = image.slice(0, image.indexOf('/'));
    held.set(namespace, (held.get(namespace) ?? 0) + 1);
  }
  return { count: freeSlots(ledger), held, namespaceShare: policyOf(ledger.policy).namespaceShare };
}

/**
 * The ledger with those chosen admitted, in the order given. Who holds a slot already is passed over.
 *
 * `seqFloor` is the highest number ever seen, in case somebody lowered the one in the ledger.
 */
export function admit(ledger: Ledger, chosen: readonly Waiting[], since: string, seqFloor = 0): Ledger {
  const admitted = chosen.filter(({ uid }) => !ledger.entries.has(uid)).slice(0, freeSlots(ledger));
  if (admitted.length === 0) return ledger;
  const entries = new Map(ledger.entries);
  let seq = Math.max(ledger.seq, seqFloor);
  for (const entry of entries.values()) seq = Math.max(seq, entry.seq);
  for (const { uid, key, attempt } of admitted) entries.set(uid, { image: key, attempt, seq: ++seq, since, state: 'open' });
  return { ...ledger, entries, seq };
}

/** Whether a ledger says what another says. */
export function isSameLedger(a: Ledger, b: Ledger): boolean {
  if (a === b) return true;
  return (
    a.limit === b.limit &&
    a.seq === b.seq &&
    a.policyResourceVersion === b.policyResourceVersion &&
    a.entries.size === b.entries.size &&
    [...a.entries].every(([uid, entry]) => isSameEntry(entry, b.entries.get(uid))) &&
    isSamePolicy(a.policy, b.policy)
  );
}

/** Whether an entry is the same in two ledgers. */
export function isSameEntry(a: LedgerEntry | undefined, b: LedgerEntry | undefined): boolean {
  return a?.attempt === b?.attempt && a?.seq === b?.seq && a?.state === b?.state && a?.image === b?.image;
}

function isOlder(version: string, than: string | undefined): boolean {
  return than !== undefined && /^\d{1,20}$/.test(than) && BigInt(version) < BigInt(than);
}
