import type { LedgerChange } from './transition.ts';

interface Pending {
  readonly change: LedgerChange;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Changes that the stored ledger does not show yet, with those who wait for that. */
export class PendingChanges {
  #pending: Pending[] = [];

  get size(): number {
    return this.#pending.length;
  }

  add(change: LedgerChange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ change, resolve, reject });
    });
  }

  /** All there are now. They stay pending until `done` is called, which leaves those that have come meanwhile. */
  take(): { readonly changes: readonly LedgerChange[]; readonly done: () => void } {
    const taken = [...this.#pending];
    return {
      changes: taken.map(({ change }) => change),
      done: () => {
        const settled = new Set(taken);
        this.#pending = this.#pending.filter((one) => !settled.has(one));
        for (const { resolve } of taken) resolve();
      },
    };
  }

  rejectAll(error: Error): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { reject } of pending) reject(error);
  }
}
