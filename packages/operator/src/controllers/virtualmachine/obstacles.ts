import { ForeignObjectError, refusalOf } from '@terrain/runtime';
import type { AwaitedObject, ObjectWatch } from '#controllers/vmdiskimage/needs.ts';

/** What has to change before a refused write can succeed; undefined when nothing we can watch tells. */
export type Obstacle = { readonly taken: AwaitedObject } | { readonly quotaOf: string } | undefined;

/** `wanted` is the object that was not taken. */
export function obstacleOf(error: unknown, wanted: AwaitedObject): Obstacle {
  if (error instanceof ForeignObjectError) return { taken: wanted };
  return refusalOf(error) === 'quota' ? { quotaOf: wanted.namespace } : undefined;
}

/**
 * Wakes machines when what was in their way is gone: an object of somebody else under the name of a child, or a quota that was used up.
 *
 * Caveat: what goes away while it is being noted is missed; whoever is blocked also comes back after a while.
 */
export class Obstacles {
  readonly #watch: ObjectWatch;
  readonly #wake: (key: string) => void;
  /** Namespace by key. */
  readonly #withoutRoom = new Map<string, string>();

  constructor(watch: ObjectWatch, wake: (key: string) => void) {
    this.#watch = watch;
    this.#wake = wake;
  }

  /** Replaces what was in the way of this machine before. */
  set(key: string, obstacle: Obstacle): void {
    this.#watch.await(key, obstacle !== undefined && 'taken' in obstacle ? [obstacle.taken] : []);
    if (obstacle !== undefined && 'quotaOf' in obstacle) this.#withoutRoom.set(key, obstacle.quotaOf);
    else this.#withoutRoom.delete(key);
  }

  /** There may be room in a namespace where there was none. */
  roomIn(namespace: string): void {
    for (const [key, waitsFor] of this.#withoutRoom) if (waitsFor === namespace) this.#wake(key);
  }
}
