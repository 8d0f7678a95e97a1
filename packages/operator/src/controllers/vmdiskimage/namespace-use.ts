/**
 * Which namespaces have to be marked because an image in them is in use.
 *
 * Passes over several images of a namespace run at once, and caches show only after a while what they wrote. So what they decided counts from the
 * moment they did, and they take turns at the mark.
 *
 * Guarantees: of several that let go at once, one takes the mark away; whoever begins to hold while another lets go finds it there.
 * Assumptions: to mark what is marked does no harm, nor the other way round. What other processes do is seen in the caches.
 */
export class NamespaceUse {
  /** By namespace and key of the image, as decided last: whether it is in use. */
  readonly #decided = new Map<string, Map<string, boolean>>();
  /** By namespace, what was written last: the cache may not show it yet. */
  readonly #written = new Map<string, boolean>();
  readonly #turns = new Map<string, Promise<unknown>>();

  /** The image is in use. `isMarked` is what the cache shows. */
  hold(namespace: string, key: string, isMarked: boolean, mark: () => Promise<void>): Promise<void> {
    this.#decide(namespace, key, true);
    return this.#inTurn(namespace, async () => {
      if (isMarked && this.#written.get(namespace) !== false) return;
      await mark();
      this.#written.set(namespace, true);
    });
  }

  /** The image is not in use any more. `inUse` and `isMarked` are what the caches show. */
  release(
    namespace: string,
    key: string,
    isMarked: boolean,
    inUse: () => readonly string[],
    unmark: () => Promise<void>,
  ): Promise<void> {
    this.#decide(namespace, key, false);
    return this.#inTurn(namespace, async () => {
      if (!(this.#written.get(namespace) ?? isMarked) || this.#isUsed(namespace, inUse())) return;
      await unmark();
      this.#written.set(namespace, false);
    });
  }

  /** The image is gone. */
  forget(namespace: string, key: string): void {
    const images = this.#decided.get(namespace);
    images?.delete(key);
    if (images?.size === 0) this.#decided.delete(namespace);
  }

  #decide(namespace: string, key: string, isInUse: boolean): void {
    const images = this.#decided.get(namespace);
    if (images === undefined) this.#decided.set(namespace, new Map([[key, isInUse]]));
    else images.set(key, isInUse);
  }

  #isUsed(namespace: string, inUse: readonly string[]): boolean {
    const images = this.#decided.get(namespace);
    return inUse.some((key) => images?.get(key) !== false) || images?.values().some((isInUse) => isInUse) === true;
  }

  async #inTurn(namespace: string, work: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(namespace) ?? Promise.resolve();
    const mine = before.then(work);
    const turn = mine.catch(() => undefined);
    this.#turns.set(namespace, turn);
    try {
      await mine;
    } finally {
      if (this.#turns.get(namespace) === turn) this.#turns.delete(namespace);
    }
  }
}
