import { type Ledger, type LedgerEntry, parseLedger } from '@terrain/api';
import { type Clock, compareVersions } from '@terrain/runtime';
import type { ConfigMap } from '#platform/core.ts';
import { isSamePolicy, type Policy, policyOf } from '#policy/policy.ts';
import { EntryIndex } from './entry-index.ts';

export interface KnownLedgerOptions {
  /** Counts for how long an entry has been closing, which nobody else is told: no clock that differs or is set may shorten that. */
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The image of this UID holds an entry, which came or changed. */
  readonly onHeld: (uid: string) => void;
  /** An entry went. */
  readonly onGone: (uid: string, entry: LedgerEntry) => void;
  /** The entry of an image came or changed. */
  readonly onEntry: (imageKey: string) => void;
  /** What is in force changed. */
  readonly onPolicy: (policy: Policy, before: Policy) => void;
  /** It cannot be used any more, or can be used again. */
  readonly onUsable: () => void;
}

/** The ledger as last seen, by whatever way, and what follows from one version to the next. */
export class KnownLedger {
  readonly #options: KnownLedgerOptions;
  readonly #entries = new EntryIndex();
  #object: ConfigMap | undefined;
  #ledger: Ledger | undefined;
  #policy: Policy = policyOf(new Map());
  #trouble = 'the ledger of running syncs has not been read yet';
  #highestSeq = 0;
  /** Whether the version taken last could be used; undefined before the first. */
  #wasUsable: boolean | undefined;

  constructor(options: KnownLedgerOptions) {
    this.#options = options;
  }

  /** The stored object; undefined when only a live read can tell. */
  get object(): ConfigMap | undefined {
    return this.#object;
  }

  /** Undefined while it cannot be used. */
  get ledger(): Ledger | undefined {
    return this.#ledger;
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** Why the ledger cannot be used. */
  get trouble(): string {
    return this.#trouble;
  }

  /** The highest number ever seen, in case somebody lowered the one in the ledger. */
  get highestSeq(): number {
    return this.#highestSeq;
  }

  entryOf(uid: string): LedgerEntry | undefined {
    return this.#ledger?.entries.get(uid);
  }

  /** For how many milliseconds an entry is known to be closing. */
  closingForMs(uid: string): number {
    const nowMs = this.#options.clock.monotonic();
    return nowMs - (this.#entries.closingSince(uid) ?? nowMs);
  }

  /** Entries of images of this name, of all lives of the name. */
  entriesOf(imageKey: string): [uid: string, entry: LedgerEntry][] {
    const found: [string, LedgerEntry][] = [];
    for (const uid of this.#entries.uidsOf(imageKey)) {
      const entry = this.entryOf(uid);
      if (entry !== undefined) found.push([uid, entry]);
    }
    return found;
  }

  /** Images in a namespace whose attempts are being cleared away. */
  closingImages(namespace: string): string[] {
    const found: string[] = [];
    for (const { image, state } of this.#ledger?.entries.values() ?? [])
      if (state === 'closing' && image.startsWith(`${namespace}/`)) found.push(image);
    return found;
  }

  /** Whether a version is another one than the one known, and not an older one that comes late. */
  isNews({ metadata }: ConfigMap): boolean {
    const known = this.#object?.metadata;
    if (known === undefined || metadata.uid !== known.uid) return true;
    return compareVersions(metadata.resourceVersion ?? '', known.resourceVersion ?? '') > 0;
  }

  /** What is known may not be so any more: the next to ask has to read. */
  doubt(): void {
    this.#object = undefined;
  }

  /** Takes a version as the present one. False when it is damaged: the live read that has to follow repairs it. */
  take(object: ConfigMap): boolean {
    const reading = parseLedger(object.data, this.#ledger?.entries);
    if (reading.kind === 'damaged') {
      this.doubt();
      return false;
    }
    this.#object = object;
    if (reading.kind === 'ledger') this.#moveTo(withPolicyOfThisCluster(reading.ledger, object));
    else {
      this.#ledger = undefined;
      this.#trouble = reading.message;
    }
    const wasUsable = this.#wasUsable;
    this.#wasUsable = this.#ledger !== undefined;
    if (wasUsable !== undefined && wasUsable !== this.#wasUsable) this.#options.onUsable();
    return true;
  }

  #moveTo(ledger: Ledger): void {
    const { clock, onHeld, onGone, onEntry, onPolicy } = this.#options;
    const before = this.#ledger;
    this.#ledger = ledger;
    this.#highestSeq = Math.max(this.#highestSeq, ledger.seq);
    if (before === undefined || !isSamePolicy(before.policy, ledger.policy)) {
      const former = this.#policy;
      this.#policy = policyOf(ledger.policy);
      onPolicy(this.#policy, former);
    }
    const { held, gone, images } = this.#entries.update(before?.entries ?? new Map(), ledger.entries, clock.monotonic());
    for (const uid of held) onHeld(uid);
    for (const [uid, entry] of gone) onGone(uid, entry);
    for (const image of images) onEntry(image);
  }
}

/**
 * A ledger is written after the policy it names was. One that names a later version than its own was restored from another cluster or edited, and
 * every change of the policy would seem older: it is as if it named none, so nobody is admitted until the policy has been read.
 */
function withPolicyOfThisCluster(ledger: Ledger, { metadata }: ConfigMap): Ledger {
  const { policyResourceVersion } = ledger;
  const isFromElsewhere =
    policyResourceVersion !== undefined && compareVersions(policyResourceVersion, metadata.resourceVersion ?? '') > 0;
  return isFromElsewhere ? { ...ledger, policyResourceVersion: undefined } : ledger;
}
