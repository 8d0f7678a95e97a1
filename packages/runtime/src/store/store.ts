import type { KubeObject } from '#transport/kube-object.ts';
import { CompactMap, type CompactMapOptions } from './compact-map.ts';
import { keyOf } from './key.ts';
import { compareVersions } from './resource-version.ts';
import { type IndexFunction, SecondaryIndex } from './secondary-index.ts';

/** One step from what the store held to what it holds. */
export type Change<T> =
  | { readonly type: 'added'; readonly key: string; readonly new: T }
  | { readonly type: 'updated'; readonly key: string; readonly old: T; readonly new: T }
  | { readonly type: 'deleted'; readonly key: string; readonly old: T };

/** What readers see of a store. */
export interface StoreReader<T> {
  /** By key text, `namespace/name` or `name`. */
  get(key: string): T | undefined;
  has(key: string): boolean;
  values(): Iterable<T>;
  /** Objects an index function gave this value for. Throws on an index nobody made. */
  byIndex(index: string, value: string): readonly T[];
  /** Their keys, without looking at the objects. */
  keysByIndex(index: string, value: string): readonly string[];
  countByIndex(index: string, value: string): number;
  readonly size: number;
  /** The version of the cluster this content is known to be at least as new as; undefined before the first list. */
  readonly resourceVersion: string | undefined;
}

/** How a Store holds its objects, and who hears of an index that cannot read one. */
export interface StoreOptions extends CompactMapOptions {
  /** Told which index leaves out which object, and why; must not throw. */
  readonly onIndexFailure?: (error: Error) => void;
}

/**
 * What is known of one kind: objects by key, and by any number of indexes.
 *
 * Guarantees: each method changes all of it or nothing, so a reader never sees half a list; an object never goes back to an older version; an
 * object that was deleted and made again under the same name is a delete and an add, never an update; a repeated event is no change, also when
 * its object is gone; an index function that throws keeps its object out of that index, and changes nothing else.
 * Assumptions: events come in the order of the cluster, after the list and the bookmarks they follow, if not for the first time; objects are not
 * edited by readers (informers freeze them in development).
 * Caveats: who reads an object twice may get two of the same content, see CompactMap.
 */
export class Store<T extends KubeObject> implements StoreReader<T> {
  readonly #objects: CompactMap<T>;
  readonly #indexes = new Map<string, { valuesOf: IndexFunction<T>; index: SecondaryIndex<T> }>();
  readonly #onIndexFailure: (error: Error) => void;
  #resourceVersion: string | undefined;

  constructor(options: StoreOptions = {}) {
    this.#objects = new CompactMap(options);
    this.#onIndexFailure = options.onIndexFailure ?? (() => undefined);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  entries(): Iterable<[string, T]> {
    return this.#objects.entries();
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  byIndex(index: string, value: string): readonly T[] {
    const [first, ...more] = this.#indexNamed(index).keys(value);
    if (first === undefined) return [];
    if (more.length === 0) return [this.#objects.get(first) as T];
    return [first, ...more].map((key) => this.#objects.peek(key) as T);
  }

  keysByIndex(index: string, value: string): readonly string[] {
    return this.#indexNamed(index).keys(value);
  }

  countByIndex(index: string, value: string): number {
    return this.#indexNamed(index).count(value);
  }

  /** Adds an index over what is there and what will come. A second index of the same name must be the same function. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known !== undefined) {
      if (known.valuesOf === valuesOf) return;
      throw new Error(`an index "${name}" with another function exists already; give this one another name`);
    }
    const index = new SecondaryIndex(valuesOf, (key, error) => {
      const why = error instanceof Error ? error.message : String(error);
      this.#onIndexFailure(new Error(`the index "${name}" leaves out ${key}: its function failed: ${why}`, { cause: error }));
    });
    for (const [key, object] of this.#objects.entries()) index.add(key, object);
    this.#indexes.set(name, { valuesOf, index });
  }

  /** Takes a complete list in place of all content. */
  replace(objects: readonly T[], resourceVersion: string): Change<T>[] {
    const changes: Change<T>[] = [];
    const next = new Map<string, T>();
    for (const object of objects) next.set(keyOf(object), object);
    for (const [key, old] of this.#objects.entries()) {
      const object = next.get(key);
      if (object === undefined) changes.push({ type: 'deleted', key, old });
      // An unchanged object keeps its identity, so references held by readers stay shared.
      else if (isSameVersion(old, object)) next.delete(key);
    }
    for (const [key, object] of next) pushReplacement(changes, key, this.#objects.peek(key), object);
    for (const change of changes) this.#hold(change);
    this.#resourceVersion = resourceVersion;
    return changes;
  }

  /** Takes an object that was added or changed. */
  put(object: T): Change<T>[] {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    // What is not here and not newer than all that was told is gone by now: events come in order, so this one is a repetition.
    const newest = old === undefined ? this.#resourceVersion : versionOf(old);
    this.advance(object.metadata.resourceVersion);
    if (newest !== undefined && compareVersions(versionOf(object), newest) <= 0) return [];
    const changes: Change<T>[] = [];
    pushReplacement(changes, key, old, object);
    for (const change of changes) this.#hold(change);
    return changes;
  }

  /** Takes a deletion. `object` is its last state as the server told it. */
  remove(object: T): Change<T>[] {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.advance(object.metadata.resourceVersion);
    // A late deletion of a predecessor must not take away the object that has its name now.
    if (old === undefined || compareVersions(versionOf(object), versionOf(old)) < 0) return [];
    const change: Change<T> = { type: 'deleted', key, old };
    this.#hold(change);
    return [change];
  }

  /** Notes that nothing changed up to this version (a bookmark). */
  advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    if (this.#resourceVersion === undefined || compareVersions(resourceVersion, this.#resourceVersion) > 0)
      this.#resourceVersion = resourceVersion;
  }

  #hold(change: Change<T>): void {
    const { key } = change;
    if (change.type === 'deleted') this.#objects.delete(key);
    else this.#objects.set(key, change.new);
    for (const { index } of this.#indexes.values()) {
      if (change.type === 'added') index.add(key, change.new);
      else if (change.type === 'deleted') index.remove(key, change.old);
      else index.update(key, change.old, change.new);
    }
  }

  #indexNamed(name: string): SecondaryIndex<T> {
    const found = this.#indexes.get(name);
    if (found === undefined) throw new Error(`there is no index "${name}"; make it with addIndex before reading it`);
    return found.index;
  }
}

function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion ?? '0';
}

function isSameVersion(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}

function pushReplacement<T extends KubeObject>(changes: Change<T>[], key: string, old: T | undefined, object: T): void {
  if (old === undefined) {
    changes.push({ type: 'added', key, new: object });
  } else if (old.metadata.uid === object.metadata.uid) {
    changes.push({ type: 'updated', key, old, new: object });
  } else {
    changes.push({ type: 'deleted', key, old }, { type: 'added', key, new: object });
  }
}
