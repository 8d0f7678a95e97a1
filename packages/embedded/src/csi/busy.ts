import { Refusal } from './refusal.ts';

interface Hold {
  readonly doing: string;
  readonly isShared: boolean;
}

/**
 * Who works on what. CSI asks that a second call for the same object is not queued but answered with ABORTED, since the caller
 * repeats it anyway.
 *
 * Guarantees: an object that is held alone has no other holder; several may read at the same time.
 */
export class Busy {
  readonly #holds = new Map<string, Set<Hold>>();

  /** Takes an object for oneself, as to create, delete or mount it. */
  alone(object: string, doing: string): Disposable {
    return this.#take(object, { doing, isShared: false });
  }

  /** Takes an object along with other readers, as to copy from it. */
  reading(object: string, doing: string): Disposable {
    return this.#take(object, { doing, isShared: true });
  }

  #take(object: string, hold: Hold): Disposable {
    const holds = this.#holds.get(object) ?? new Set();
    const obstacle = [...holds].find(({ isShared }) => !isShared || !hold.isShared);
    if (obstacle !== undefined) {
      throw new Refusal('Aborted', `${hold.doing} has to wait: ${obstacle.doing} is under way. Ask again later.`);
    }
    holds.add(hold);
    this.#holds.set(object, holds);
    return {
      [Symbol.dispose]: () => {
        holds.delete(hold);
        if (holds.size === 0 && this.#holds.get(object) === holds) this.#holds.delete(object);
      },
    };
  }
}
