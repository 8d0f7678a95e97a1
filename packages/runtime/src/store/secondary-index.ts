/** The values under which an object is found; none means it is not in this index. */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * Keys of objects by a computed value, kept up to date one object at a time: a lookup never scans the store.
 *
 * Guarantees: an object on which the function throws is in this index under no value, and that is told when it comes.
 * Assumptions: the function gives the same for the same content.
 */
export class SecondaryIndex<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #onFailure: (key: string, error: unknown) => void;
  /** Most values belong to one object (owner UIDs, say), and a Set for each of them would take more memory than the rest of the index. */
  readonly #buckets = new Map<string, string | Set<string>>();

  constructor(valuesOf: IndexFunction<T>, onFailure: (key: string, error: unknown) => void) {
    this.#valuesOf = valuesOf;
    this.#onFailure = onFailure;
  }

  add(key: string, object: T): void {
    try {
      for (const value of this.#valuesOf(object)) this.#add(value, key);
    } catch (error) {
      this.#onFailure(key, error);
    }
  }

  remove(key: string, object: T): void {
    try {
      for (const value of this.#valuesOf(object)) this.#remove(value, key);
    } catch {
      // It threw when the object came, too, and was reported then: there is nothing to take away.
    }
  }

  /** Who changed last comes last, also where the values stay the same: objects are found in the order of their changes. */
  update(key: string, old: T, object: T): void {
    this.remove(key, old);
    this.add(key, object);
  }

  keys(value: string): readonly string[] {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return [];
    return typeof bucket === 'string' ? [bucket] : [...bucket];
  }

  count(value: string): number {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return 0;
    return typeof bucket === 'string' ? 1 : bucket.size;
  }

  #add(value: string, key: string): void {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) this.#buckets.set(value, key);
    else if (typeof bucket !== 'string') bucket.add(key);
    else if (bucket !== key) this.#buckets.set(value, new Set([bucket, key]));
  }

  #remove(value: string, key: string): void {
    const bucket = this.#buckets.get(value);
    // Values come and go with objects; an empty bucket kept would be a leak.
    if (bucket === key) this.#buckets.delete(value);
    else if (bucket instanceof Set && bucket.delete(key) && bucket.size === 0) this.#buckets.delete(value);
  }
}
