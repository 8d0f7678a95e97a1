import { IndexedHeap } from './indexed-heap.ts';
import { comparePlaces, type Place } from './order.ts';

/** An image that waits for a slot. */
export type Waiting = Place & {
  /** UID of the image. */
  readonly uid: string;
  readonly namespace: string;
  /** Number its next attempt would have. */
  readonly attempt: number;
  /**
   * False while it is not known yet whether the image may start (its Secret is being read, say). It holds up all behind it: letting
   * them pass would break the order that was promised. Whoever puts one in answers for it that it is settled or removed soon.
   */
  readonly isSettled: boolean;
};

/** What bounds a choice from the queue. */
export type Room = {
  /** How many may be chosen. */
  readonly count: number;
  /** Most slots one namespace may hold. */
  readonly namespaceShare: number | 'off';
  /** Slots held now, by namespace. */
  readonly held: ReadonlyMap<string, number>;
};

/**
 * The images that could start if there were room, in the one global order.
 *
 * Guarantees: `choose` gives the first ones in order, skipping only namespaces that hold their share; each operation costs O(log n) per
 * image touched, whatever the length of the queue and however many images of a full namespace stand at its head.
 */
export class SyncQueue {
  readonly #namespaces = new Map<string, IndexedHeap<Waiting>>();
  /** Namespaces with waiting images, by their first one. */
  readonly #heads = new IndexedHeap<Waiting>(comparePlaces);
  readonly #namespaceOf = new Map<string, string>();

  get size(): number {
    return this.#namespaceOf.size;
  }

  /** The one that has waited longest. */
  get first(): Waiting | undefined {
    return this.#heads.first;
  }

  get(uid: string): Waiting | undefined {
    const namespace = this.#namespaceOf.get(uid);
    return namespace === undefined ? undefined : this.#namespaces.get(namespace)?.get(uid);
  }

  set(waiting: Waiting): void {
    const { uid, namespace } = waiting;
    let images = this.#namespaces.get(namespace);
    if (images === undefined) {
      images = new IndexedHeap<Waiting>(comparePlaces);
      this.#namespaces.set(namespace, images);
    }
    images.set(uid, waiting);
    this.#namespaceOf.set(uid, namespace);
    this.#updateHead(namespace, images);
  }

  remove(uid: string): boolean {
    const namespace = this.#namespaceOf.get(uid);
    const images = namespace === undefined ? undefined : this.#namespaces.get(namespace);
    if (namespace === undefined || images === undefined) return false;
    images.remove(uid);
    this.#namespaceOf.delete(uid);
    this.#updateHead(namespace, images);
    return true;
  }

  /** The first ones there is room for, in order. Nothing is removed: who was chosen has not been admitted yet. */
  choose({ count, namespaceShare, held }: Room): Waiting[] {
    const chosen: Waiting[] = [];
    const holds = new Map(held);
    const full: string[] = [];
    while (chosen.length < count) {
      const next = this.#heads.first;
      if (next === undefined) break;
      const { uid, namespace } = next;
      const inNamespace = holds.get(namespace) ?? 0;
      if (namespaceShare !== 'off' && inNamespace >= namespaceShare) {
        this.#heads.remove(namespace);
        full.push(namespace);
        continue;
      }
      if (!next.isSettled) break;
      chosen.push(next);
      holds.set(namespace, inNamespace + 1);
      const images = this.#namespaces.get(namespace)!;
      images.remove(uid);
      this.#updateHead(namespace, images);
    }
    for (const waiting of chosen) this.set(waiting);
    for (const namespace of full) {
      const images = this.#namespaces.get(namespace);
      if (images !== undefined) this.#updateHead(namespace, images);
    }
    return chosen;
  }

  #updateHead(namespace: string, images: IndexedHeap<Waiting>): void {
    const { first } = images;
    if (first !== undefined) {
      this.#heads.set(namespace, first);
      return;
    }
    this.#heads.remove(namespace);
    this.#namespaces.delete(namespace);
  }
}
