import { compareVersions } from '@terrain/runtime';

/** The mark of a namespace as a cache shows it. */
export interface ShownMark {
  readonly isMarked: boolean;
  /** Of the namespace; undefined where the cache does not know it. */
  readonly version: string | undefined;
}

/** Writes the mark, or takes it away; answers with the version of the namespace that has it so. */
type Write = () => Promise<string | undefined>;

/**
 * Which namespaces have to be marked because an image in them is in use.
 *
 * Passes over several images of a namespace run at once, and caches show only after a while what they wrote. So what they decided counts from the
 * moment they did, and they take turns at the mark.
 *
 * Guarantees: of several that let go at once, one takes the mark away; whoever begins to hold while another lets go finds it there. What was written
 * counts until a cache shows that version or a later one. A mark that cannot be written is not tried by all who stood in line for it.
 * Assumptions: what other processes do is seen in the caches.
 */
export class NamespaceUse {
  /** By namespace and key of the image, as decided last: whether it is in use. */
  readonly #decided = new Map<string, Map<string, boolean>>();
  readonly #written = new Map<string, ShownMark>();
  readonly #failures = new Map<string, { readonly error: unknown; readonly at: number }>();
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Counts what happens, for the order of it. */
  #moment = 0;

  /** The image is in use. */
  hold(namespace: string, key: string, shown: ShownMark, mark: Write): Promise<void> {
    this.#decide(namespace, key, true);
    const since = ++this.#moment;
    return this.#inTurn(namespace, async () => {
      if (this.#isMarked(namespace, shown)) return;
      const failure = this.#failures.get(namespace);
      if (failure !== undefined && failure.at > since) throw failure.error;
      try {
        this.#written.set(namespace, { isMarked: true, version: await mark() });
        this.#failures.delete(namespace);
      } catch (error) {
        this.#failures.set(namespace, { error, at: ++this.#moment });
        throw error;
      }
    });
  }

  /** The image is not in use any more. `inUse` are the others that are, as the cache shows them. */
  release(namespace: string, key: string, shown: ShownMark, inUse: () => readonly string[], unmark: Write): Promise<void> {
    this.#decide(namespace, key, false);
    return this.#inTurn(namespace, async () => {
      if (!this.#isMarked(namespace, shown) || this.#isUsed(namespace, inUse())) return;
      this.#written.set(namespace, { isMarked: false, version: await unmark() });
    });
  }

  /** The image is gone, or was let go of by somebody else. */
  forget(namespace: string, key: string): void {
    const images = this.#decided.get(namespace);
    if (images?.delete(key) !== true || images.size > 0) return;
    this.#decided.delete(namespace);
    this.#written.delete(namespace);
    this.#failures.delete(namespace);
  }

  #decide(namespace: string, key: string, isInUse: boolean): void {
    const images = this.#decided.get(namespace);
    if (images === undefined) this.#decided.set(namespace, new Map([[key, isInUse]]));
    else images.set(key, isInUse);
  }

  #isMarked(namespace: string, shown: ShownMark): boolean {
    const written = this.#written.get(namespace);
    if (written === undefined) return shown.isMarked;
    const isShown =
      shown.version !== undefined && written.version !== undefined && compareVersions(shown.version, written.version) >= 0;
    return isShown ? shown.isMarked : written.isMarked;
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
