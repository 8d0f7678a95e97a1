/** Callbacks that wait for a cache to show something; each is called once. */
export class CacheWaiters {
  #waiting: { readonly isMet: () => boolean; readonly callback: () => void }[] = [];

  add(isMet: () => boolean, callback: () => void): void {
    if (isMet()) callback();
    else this.#waiting.push({ isMet, callback });
  }

  /** The cache has changed. */
  check(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    // Callbacks may add waiters, so the list is in its new state before the first is called.
    const ready = waiting.filter(({ isMet }) => isMet());
    if (ready.length === 0) return;
    const called = new Set(ready);
    this.#waiting = waiting.filter((waiter) => !called.has(waiter));
    for (const { callback } of ready) callback();
  }

  /** The cache will never show it: the kind is gone. */
  release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { callback } of waiting) callback();
  }
}
