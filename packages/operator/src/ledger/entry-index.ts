import type { Ledger, LedgerEntry } from '@terrain/api';
import { isSameEntry } from './transition.ts';

/** What a change of the ledger means for images. */
export interface EntryNews {
  /** UIDs of images whose entry came or changed. */
  readonly held: readonly string[];
  /** Entries that went. */
  readonly gone: readonly (readonly [uid: string, entry: LedgerEntry])[];
  /** `namespace/name` of every image whose entry came or changed. */
  readonly images: ReadonlySet<string>;
}

/**
 * What is known of the entries beyond the ledger's own words: which lives of a name hold one, and since when one is closing.
 *
 * The ledger does not store when an entry was closed: who did not see it counts from when it first saw it, which is later, so an entry
 * is never released too early.
 */
export class EntryIndex {
  readonly #closingSince = new Map<string, number>();
  readonly #uidsOf = new Map<string, Set<string>>();

  /** UIDs of all lives of a name that hold an entry. */
  uidsOf(imageKey: string): Iterable<string> {
    return this.#uidsOf.get(imageKey) ?? [];
  }

  closingSince(uid: string): number | undefined {
    return this.#closingSince.get(uid);
  }

  /** Moves on from one version of the ledger to another. */
  update(before: Ledger['entries'], after: Ledger['entries'], nowMs: number): EntryNews {
    const held: string[] = [];
    const gone: [string, LedgerEntry][] = [];
    const images = new Set<string>();
    for (const [uid, entry] of after) {
      if (isSameEntry(before.get(uid), entry)) continue;
      this.#note(uid, entry, nowMs);
      held.push(uid);
      images.add(entry.image);
    }
    for (const [uid, entry] of before) {
      if (after.has(uid)) continue;
      this.#drop(uid, entry);
      gone.push([uid, entry]);
    }
    return { held, gone, images };
  }

  #note(uid: string, { image, state }: LedgerEntry, nowMs: number): void {
    let uids = this.#uidsOf.get(image);
    if (uids === undefined) {
      uids = new Set();
      this.#uidsOf.set(image, uids);
    }
    uids.add(uid);
    if (state === 'open') this.#closingSince.delete(uid);
    else this.#closingSince.set(uid, nowMs);
  }

  #drop(uid: string, { image }: LedgerEntry): void {
    this.#closingSince.delete(uid);
    const uids = this.#uidsOf.get(image);
    uids?.delete(uid);
    if (uids?.size === 0) this.#uidsOf.delete(image);
  }
}
