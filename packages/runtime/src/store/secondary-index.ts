import type { KubeObject } from '#transport/kube-object.ts';
import { keyOf } from './key.ts';

/** The values under which an object is found; none means it is not in this index. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Objects by a computed value, kept up to date one object at a time: a lookup never scans the store. */
export class SecondaryIndex<T extends KubeObject> {
  readonly #valuesOf: IndexFunction<T>;
  /** Most values belong to one object (owner UIDs, say), and a Map for each of them would take more memory than the rest of the index. */
  readonly #buckets = new Map<string, T | Map<string, T>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  /** `key` is the object's own; it is given so that its text is held once. */
  add(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const bucket = this.#buckets.get(value);
      if (bucket instanceof Map) bucket.set(key, object);
      else if (bucket === undefined || keyOf(bucket) === key) this.#buckets.set(value, object);
      else
        this.#buckets.set(
          value,
          new Map([
            [keyOf(bucket), bucket],
            [key, object],
          ]),
        );
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const bucket = this.#buckets.get(value);
      // Values come and go with objects; an empty bucket kept would be a leak.
      if (bucket instanceof Map) {
        bucket.delete(key);
        if (bucket.size === 0) this.#buckets.delete(value);
      } else if (bucket !== undefined && keyOf(bucket) === key) this.#buckets.delete(value);
    }
  }

  get(value: string): T[] {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return [];
    return bucket instanceof Map ? [...bucket.values()] : [bucket];
  }

  has(value: string): boolean {
    return this.#buckets.has(value);
  }

  count(value: string): number {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return 0;
    return bucket instanceof Map ? bucket.size : 1;
  }
}
