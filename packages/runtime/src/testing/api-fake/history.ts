import { collectionKey, keyOf, revisionOf, type ServedKind, type StoredObject } from './kind.ts';
import { tooOldResourceVersion } from './refusal.ts';

/** One write: the object after it (for a deletion: as it was, under the revision of its deletion) and before it. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: ServedKind;
  readonly revision: number;
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
}

/** A fresh cluster has a past: resource version 1 must be as useless to clients here as there. */
const firstRevision = 100;

/**
 * All objects and every change since the last compaction, under one counter, as etcd keeps them.
 *
 * Guarantees: each write has a revision of its own, larger by one than the last; listeners hear of changes in that order, after the
 * write is complete; objects are never changed in place.
 */
export class History {
  readonly #collections = new Map<string, Map<string, StoredObject>>();
  readonly #listeners = new Set<(change: Change) => void>();
  #log: Change[] = [];
  #revision = firstRevision;
  #compactedTo = firstRevision;

  get revision(): number {
    return this.#revision;
  }

  /** Changes up to and including this revision are forgotten. */
  get compactedTo(): number {
    return this.#compactedTo;
  }

  get(kind: ServedKind, key: string): StoredObject | undefined {
    return this.#collections.get(collectionKey(kind.type))?.get(key);
  }

  /** In no particular order. */
  all(kind: ServedKind): Iterable<StoredObject> {
    return this.#collections.get(collectionKey(kind.type))?.values() ?? [];
  }

  put(kind: ServedKind, object: StoredObject): StoredObject {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision + 1) } };
    const collection = this.#collection(kind);
    const previous = collection.get(keyOf(stored));
    collection.set(keyOf(stored), stored);
    this.#record({ type: previous === undefined ? 'ADDED' : 'MODIFIED', kind, object: stored, previous });
    return stored;
  }

  remove(kind: ServedKind, key: string): void {
    const collection = this.#collection(kind);
    const previous = collection.get(key);
    if (previous === undefined) return;
    collection.delete(key);
    const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(this.#revision + 1) } };
    this.#record({ type: 'DELETED', kind, object, previous });
  }

  /** The changes of a kind after a revision; refuses when some of them are forgotten. */
  since(kind: ServedKind, revision: number): Change[] {
    if (revision < this.#compactedTo) throw tooOldResourceVersion(revision, this.#compactedTo);
    const key = collectionKey(kind.type);
    // Revisions are consecutive, so the position of the first newer change is known.
    return this.#log.slice(revision - this.#compactedTo).filter((change) => collectionKey(change.kind.type) === key);
  }

  /** All objects of a kind as they were at a revision. */
  at(kind: ServedKind, revision: number): StoredObject[] {
    const objects = new Map<string, StoredObject>();
    for (const object of this.all(kind)) objects.set(keyOf(object), object);
    for (const { object, previous } of this.since(kind, revision).reverse()) {
      if (previous === undefined) objects.delete(keyOf(object));
      else objects.set(keyOf(previous), previous);
    }
    return [...objects.values()];
  }

  /** Forgets changes up to a revision (default: all), so that whoever still needs them is told they are gone. */
  compact(revision = this.#revision): void {
    const to = Math.min(Math.max(revision, this.#compactedTo), this.#revision);
    this.#log = this.#log.slice(to - this.#compactedTo);
    this.#compactedTo = to;
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #collection(kind: ServedKind): Map<string, StoredObject> {
    const key = collectionKey(kind.type);
    let collection = this.#collections.get(key);
    if (collection === undefined) {
      collection = new Map();
      this.#collections.set(key, collection);
    }
    return collection;
  }

  #record(change: Omit<Change, 'revision'>): void {
    const recorded = { ...change, revision: revisionOf(change.object) };
    this.#revision = recorded.revision;
    this.#log.push(recorded);
    for (const listener of [...this.#listeners]) listener(recorded);
  }
}
