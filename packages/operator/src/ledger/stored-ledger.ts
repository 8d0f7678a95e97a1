import { formatLedger, type Ledger } from '@terrain/api';
import type { Logger } from '@terrain/runtime';
import type { ConfigMap } from '#platform/core.ts';
import type { KnownLedger } from './known-ledger.ts';
import { loadLedger } from './load.ts';
import type { LedgerPort } from './port.ts';

export interface StoredLedgerOptions {
  readonly port: LedgerPort;
  readonly log: Logger;
  readonly known: KnownLedger;
  /** A version that somebody else wrote is about to be taken as the present one. */
  readonly onForeign: () => void;
  /** A version that can be read was taken as the present one. */
  readonly onTaken: () => void;
  /** The watch showed something that was not known. */
  readonly onNews: () => void;
}

/**
 * The ledger as this process reads, writes and watches it, and who wrote the version it knows.
 *
 * Guarantees: the event of an own write is never taken for somebody else's, whether it comes before the answer or after it.
 */
export class StoredLedger {
  readonly #options: StoredLedgerOptions;
  #isWriting = false;
  #seenMeanwhile: ConfigMap | 'gone' | undefined;
  #lastOwnVersion: string | undefined;
  #isOwn = false;

  constructor(options: StoredLedgerOptions) {
    this.#options = options;
  }

  /** Whether the version being taken, or taken last, is what this process wrote. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** Reads it live; true when it had to be mended. */
  async load(signal: AbortSignal): Promise<boolean> {
    const { port, log, known } = this.#options;
    const { object, isMended } = await loadLedger(port, known.ledger?.policy, log, signal);
    this.#take(object);
    return isMended;
  }

  /** Puts another ledger in the place of this version, and of no other. */
  async replace(object: ConfigMap, next: Ledger, signal: AbortSignal): Promise<void> {
    this.#isWriting = true;
    try {
      const answer = await this.#options.port.replace({ ...object, data: formatLedger(next) }, signal);
      this.#lastOwnVersion = answer.metadata.resourceVersion;
      this.#take(answer);
    } finally {
      this.#isWriting = false;
      const seen = this.#seenMeanwhile;
      this.#seenMeanwhile = undefined;
      if (seen !== undefined) this.observed(seen === 'gone' ? undefined : seen);
    }
  }

  /** As the watch shows it; undefined when it is gone. */
  observed(object: ConfigMap | undefined): void {
    const { known, onNews } = this.#options;
    if (this.#isWriting) {
      // The event of our own write may come before its answer, and is no foreign write.
      this.#seenMeanwhile = object ?? 'gone';
      return;
    }
    // A watch may be behind the ledger's creation; the live read that follows tells.
    if (object === undefined) known.doubt();
    else if (known.isNews(object)) this.#take(object);
    else return;
    onNews();
  }

  #take(object: ConfigMap): void {
    const { known, onForeign, onTaken } = this.#options;
    this.#isOwn = object.metadata.resourceVersion === this.#lastOwnVersion;
    if (!this.#isOwn) onForeign();
    if (known.take(object)) onTaken();
  }
}
