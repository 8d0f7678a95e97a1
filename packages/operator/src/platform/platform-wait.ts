import type { Informer, KubeObject } from '@terrain/runtime';

/** What is asked of an informer, whatever its objects are. */
type Kind = Pick<Informer<KubeObject>, 'served' | 'whenReached'> & {
  readonly store: { readonly resourceVersion: string | undefined };
};

/** Keys that wait for a class or a kind of the platform. */
export class PlatformWait {
  readonly #informers: readonly Kind[];
  readonly #wake: (key: string) => void;
  readonly #keys = new Set<string>();
  readonly #armed = new Set<Kind>();

  /** `informers` are those of the kinds that may not be served. */
  constructor(informers: readonly Kind[], wake: (key: string) => void) {
    this.#informers = informers;
    this.#wake = wake;
  }

  set(key: string, isWaiting: boolean): void {
    if (!isWaiting) {
      this.#keys.delete(key);
      return;
    }
    this.#keys.add(key);
    for (const informer of this.#informers) if (informer.served !== true) this.#arm(informer);
  }

  wakeAll(): void {
    for (const key of this.#keys) this.#wake(key);
  }

  /** A kind that is not served stays at the version it had; one that is served again comes with a newer one. */
  #arm(informer: Kind): void {
    if (this.#armed.has(informer)) return;
    this.#armed.add(informer);
    const arm = (): void => {
      const newer = BigInt(informer.store.resourceVersion ?? '0') + 1n;
      informer.whenReached(String(newer), () => {
        if (informer.served !== true) return arm();
        this.#armed.delete(informer);
        this.wakeAll();
      });
    };
    arm();
  }
}
