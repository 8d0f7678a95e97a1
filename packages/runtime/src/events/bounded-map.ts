/** A Map that forgets what was used longest ago when it is full. */
export class BoundedMap<K, V> {
  readonly #capacity: number;
  readonly #entries = new Map<K, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Gives back what it forgets for that. */
  set(key: K, value: V): V | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return undefined;
    for (const [oldest, forgotten] of this.#entries) {
      this.#entries.delete(oldest);
      return forgotten;
    }
    return undefined;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  values(): Iterable<V> {
    return this.#entries.values();
  }
}
