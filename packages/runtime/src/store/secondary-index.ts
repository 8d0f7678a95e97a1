import type { KubeObject } from '#transport/kube-object.ts';
import { keyOf } from './key.ts';

/** The values under which an object is found; none means it is not in this index. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Objects by a computed value, kept up to date one object at a time: a lookup never scans the store. */
export class SecondaryIndex<T extends KubeObject> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #buckets = new Map<string, Map<string, T>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  add(object: T): void {
    const key = keyOf(object);
    for (const value of this.#valuesOf(object)) {
      const bucket = this.#buckets.get(value);
      if (bucket === undefined) this.#buckets.set(value, new Map([[key, object]]));
      else bucket.set(key, object);
    }
  }

  remove(object: T): void {
    const key = keyOf(object);
    for (const value of this.#valuesOf(object)) {
      const bucket = this.#buckets.get(value);
      bucket?.delete(key);
      // Values come and go with objects (owner UIDs, say); an empty bucket kept would be a leak.
      if (bucket?.size === 0) this.#buckets.delete(value);
    }
  }

  get(value: string): T[] {
    return [...(this.#buckets.get(value)?.values() ?? [])];
  }

  has(value: string): boolean {
    return this.#buckets.has(value);
  }

  count(value: string): number {
    return this.#buckets.get(value)?.size ?? 0;
  }
}
