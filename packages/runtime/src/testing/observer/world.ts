import type { KubeObject } from '#transport/kube-object.ts';
import type { ResourceType } from '#transport/resource.ts';

/** One change as the API server made it, or an object that was there when observing began. */
export interface ObservedEvent<T extends KubeObject = KubeObject> {
  readonly type: 'INITIAL' | 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: ResourceType;
  readonly object: T;
  /** The object before; undefined where there was none. */
  readonly previous: T | undefined;
  readonly revision: bigint;
}

const collectionOf = ({ group, plural }: ResourceType): string => `${group}/${plural}`;
const keyOf = (namespace: string | undefined, name: string | undefined): string => `${namespace ?? ''}/${name ?? ''}`;

/** All observed objects at one resource version. */
export class World {
  readonly #collections = new Map<string, Map<string, KubeObject>>();

  get<T extends KubeObject>(type: ResourceType, at: { name: string; namespace?: string }): T | undefined {
    return this.#collections.get(collectionOf(type))?.get(keyOf(at.namespace, at.name)) as T | undefined;
  }

  /** In no particular order. */
  list<T extends KubeObject>(type: ResourceType): T[] {
    return [...(this.#collections.get(collectionOf(type))?.values() ?? [])] as T[];
  }

  /** Moves on by one change; returns the object as it was before. */
  change(type: ResourceType, object: KubeObject, isDeletion: boolean): KubeObject | undefined {
    const collection = this.#collections.get(collectionOf(type)) ?? new Map<string, KubeObject>();
    this.#collections.set(collectionOf(type), collection);
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    const previous = collection.get(key);
    if (isDeletion) collection.delete(key);
    else collection.set(key, object);
    return previous;
  }
}
