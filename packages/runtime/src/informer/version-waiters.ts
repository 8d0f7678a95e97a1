import { compareVersions } from '#store/resource-version.ts';

/** Callbacks that wait for a cache to reach a version. */
export class VersionWaiters {
  #waiting: { readonly version: string; readonly callback: () => void }[] = [];

  add(current: string | undefined, version: string, callback: () => void): void {
    if (current !== undefined && compareVersions(current, version) >= 0) callback();
    else this.#waiting.push({ version, callback });
  }

  reached(current: string): void {
    if (this.#waiting.length === 0) return;
    const ready = this.#waiting.filter(({ version }) => compareVersions(current, version) >= 0);
    if (ready.length === 0) return;
    this.#waiting = this.#waiting.filter(({ version }) => compareVersions(current, version) < 0);
    for (const { callback } of ready) callback();
  }

  /** The cache will never reach them: what they waited for is gone. */
  reachedAll(): void {
    const ready = this.#waiting;
    this.#waiting = [];
    for (const { callback } of ready) callback();
  }
}
