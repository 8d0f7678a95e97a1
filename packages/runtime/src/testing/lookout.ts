export interface LookoutOptions {
  readonly patienceMs: number;
  /** The sentence of the error when it never is the case. */
  readonly complaint: () => string;
}

/** Waits until something is the case, looking at every change instead of every few milliseconds. */
export class Lookout {
  readonly #listeners = new Set<() => void>();

  /** To be called at every change of what is looked at. */
  readonly changed = (): void => {
    for (const listener of this.#listeners) listener();
  };

  until<T>(look: () => T | undefined | false, { patienceMs, complaint }: LookoutOptions): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(complaint()));
      }, patienceMs);
      const listener = (): void => {
        try {
          const found = look();
          if (found === undefined || found === false) return;
          end();
          resolve(found);
        } catch (error) {
          end();
          reject(error);
        }
      };
      this.#listeners.add(listener);
      listener();
    });
  }
}
