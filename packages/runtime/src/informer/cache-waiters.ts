import { compareVersions } from '#store/resource-version.ts';

interface ForVersion {
  readonly version: string;
  readonly callback: () => void;
}

interface ForCondition {
  readonly isMet: () => boolean;
  readonly callback: () => void;
}

/**
 * Callbacks that wait for a cache to show something; each is called once.
 *
 * Nearly all wait for a version. They are kept in order, so that an event looks at those whose time has come and one more, however many wait.
 */
export class CacheWaiters {
  readonly #forVersions: ForVersion[] = [];
  #forConditions: ForCondition[] = [];

  /** For the cache to be at least as new as a version, which it is not yet. */
  addVersion(version: string, callback: () => void): void {
    let at = this.#forVersions.length;
    while (at > 0 && compareVersions((this.#forVersions[at - 1] as ForVersion).version, version) > 0) at--;
    this.#forVersions.splice(at, 0, { version, callback });
  }

  add(isMet: () => boolean, callback: () => void): void {
    if (isMet()) callback();
    else this.#forConditions.push({ isMet, callback });
  }

  /** The cache has changed, and is as new as this version. */
  check(version: string | undefined): void {
    // Callbacks may add waiters, so the lists are in their new state before the first is called.
    const ready: { readonly callback: () => void }[] = [...this.#takeReached(version), ...this.#takeMet()];
    for (const { callback } of ready) callback();
  }

  /** The cache will never show it: the kind is gone. */
  release(): void {
    const waiting = [...this.#forVersions.splice(0), ...this.#forConditions.splice(0)];
    for (const { callback } of waiting) callback();
  }

  #takeReached(version: string | undefined): readonly ForVersion[] {
    let count = 0;
    for (const waiter of this.#forVersions) {
      if (version === undefined || compareVersions(waiter.version, version) > 0) break;
      count++;
    }
    return count === 0 ? [] : this.#forVersions.splice(0, count);
  }

  #takeMet(): readonly ForCondition[] {
    if (this.#forConditions.length === 0) return [];
    const met = new Set(this.#forConditions.filter(({ isMet }) => isMet()));
    if (met.size > 0) this.#forConditions = this.#forConditions.filter((waiter) => !met.has(waiter));
    return [...met];
  }
}
