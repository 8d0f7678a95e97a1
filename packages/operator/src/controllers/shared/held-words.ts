/** How long words about an object can wait for better ones. */
export interface Patience {
  /** The first words. */
  readonly firstMs: number;
  /** Later ones: whoever looks has been told something already. */
  readonly laterMs: number;
  /** Where many are on their way at once each takes longer: by how much for each of them, and at most. */
  readonly crowd: {
    readonly firstMs: number;
    readonly laterMs: number;
    readonly longestFirstMs: number;
    readonly longestLaterMs: number;
  };
}

/** What is to be said of an object. */
interface Words {
  /** Something has been said of it before, or what is to be said now is as little urgent. */
  readonly isLate: boolean;
  /** Words of another kind than those held so far have their own time from now on. */
  readonly kind?: string;
}

/**
 * Holds back what objects say on their way, so that one that gets there quickly costs one status write and not five.
 *
 * Guarantees: time held counts from the first words held on, and never longer than the patience says. Forgetting, as in a restart, costs nothing
 * but as much time again.
 */
export class HeldWords {
  readonly #patience: Patience;
  readonly #held = new Map<string, { readonly sinceMs: number; readonly kind: string | undefined }>();

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** For how long the words are still held; 0: they are to be said now. */
  heldMs(key: string, { isLate, kind }: Words, nowMs: number): number {
    const known = this.#held.get(key);
    // The clocks of API servers differ: news from the future are news of now.
    const sinceMs = known !== undefined && known.kind === kind ? Math.min(known.sinceMs, nowMs) : nowMs;
    const leftMs = sinceMs + this.#patienceMs(isLate) - nowMs;
    if (leftMs > 0) this.#held.set(key, { sinceMs, kind });
    else this.#held.delete(key);
    return Math.max(0, leftMs);
  }

  /** There is nothing to hold back any more. */
  forget(key: string): void {
    this.#held.delete(key);
  }

  #patienceMs(isLate: boolean): number {
    const { firstMs, laterMs, crowd } = this.#patience;
    const many = this.#held.size;
    return isLate
      ? Math.min(Math.max(laterMs, many * crowd.laterMs), crowd.longestLaterMs)
      : Math.min(Math.max(firstMs, many * crowd.firstMs), crowd.longestFirstMs);
  }
}
