import type { KindName } from '../kinds.ts';

/** Names one thing that can be looked at: an object, a whole kind, or the objects with one value of an index. */
export const lookAt = {
  object: (kind: KindName, namespace: string | undefined, name: string): string => `${kind}/${namespace ?? ''}/${name}`,
  kind: (kind: KindName): string => `${kind}/*`,
  index: (kind: KindName, index: string, value: string): string => `${kind}#${index}=${value}`,
};

/**
 * Remembers what each key looked at when it was decided, missing things included, so that a change wakes exactly those it matters to.
 * That replaces a table of which kind concerns which other.
 */
export class Dependencies {
  readonly #looks = new Map<string, ReadonlySet<string>>();
  readonly #keys = new Map<string, Set<string>>();

  /** Replaces what a key looks at. */
  set(key: string, looks: ReadonlySet<string>): void {
    const before = this.#looks.get(key);
    for (const look of before ?? []) if (!looks.has(look)) this.#remove(look, key);
    for (const look of looks) {
      if (before?.has(look) === true) continue;
      const keys = this.#keys.get(look);
      if (keys === undefined) this.#keys.set(look, new Set([key]));
      else keys.add(key);
    }
    if (looks.size === 0) this.#looks.delete(key);
    else this.#looks.set(key, looks);
  }

  /** Keys that looked at this. */
  of(look: string): Iterable<string> {
    return this.#keys.get(look) ?? [];
  }

  #remove(look: string, key: string): void {
    const keys = this.#keys.get(look);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(look);
  }
}
