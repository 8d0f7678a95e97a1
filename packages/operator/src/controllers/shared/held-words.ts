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
  /** For how long news of its parts may wait for each other, so that several make one pass: for each object that is on its way, and at most. */
  readonly gather: { readonly forEachMs: number; readonly longestMs: number };
}

/** What is to be said of an object. */
interface Words {
  /** Something has been said of it before, or what is to be said now is as little urgent. */
  readonly isLate: boolean;
  /** Words of another kind than those held so far have their own time from now on. */
  readonly kind?: string;
  /** How far the object is. One that gets on may go on in silence, but no longer than twice its time: what is worth telling is what lasts. */
  readonly step?: string;
}

interface Held {
  readonly kind: string | undefined;
  readonly step: string | undefined;
  readonly sinceMs: number;
  readonly stepSinceMs: number;
}

/**
 * Holds back what objects say on their way, so that one that gets there quickly costs one status write and not five.
 *
 * Guarantees: what stays as it is is held no longer than the patience says, and what changes no longer than twice that. Forgetting, as in a restart,
 * costs nothing but as much time again.
 */
export class HeldWords {
  readonly #patience: Patience;
  readonly #held = new Map<string, Held>();

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** For how long the words are still held; 0: they are to be said now. */
  heldMs(key: string, { isLate, kind, step }: Words, nowMs: number): number {
    const found = this.#held.get(key);
    const known = found?.kind === kind ? found : undefined;
    // The clocks of API servers differ: news from the future are news of now.
    const sinceMs = Math.min(known?.sinceMs ?? nowMs, nowMs);
    const stepSinceMs = known !== undefined && known.step === step ? Math.min(known.stepSinceMs, nowMs) : nowMs;
    const patienceMs = this.#patienceMs(isLate);
    const leftMs = Math.min(stepSinceMs + patienceMs, sinceMs + 2 * patienceMs) - nowMs;
    if (leftMs > 0) this.#held.set(key, { kind, step, sinceMs, stepSinceMs });
    else this.#held.delete(key);
    return Math.max(0, leftMs);
  }

  /** For how long news of an object's parts may wait for each other: not at all where one object is on its way. */
  gatherMs(): number {
    const { forEachMs, longestMs } = this.#patience.gather;
    return Math.min(Math.max(0, this.#held.size - 1) * forEachMs, longestMs);
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
