import type { Ledger, LedgerEntry } from '@terrain/api';
import type { LedgerChange } from './transition.ts';

/** A slot that somebody may still use. */
export type Suspect = Pick<LedgerEntry, 'image' | 'attempt' | 'state'>;

/** Looks live whether an attempt still downloads. */
export type IsRunning = (uid: string, suspect: Suspect, signal: AbortSignal) => Promise<boolean>;

/**
 * Slots that ought to be in the ledger and are not, because somebody reached into it.
 *
 * Guarantees: as long as they are judged before every admission, nobody gets the slot of a download that still runs.
 */
export class Suspects {
  readonly #isRunning: IsRunning;
  readonly #suspects = new Map<string, Suspect>();

  constructor(isRunning: IsRunning) {
    this.#isRunning = isRunning;
  }

  add(uid: string, { image, attempt, state }: Suspect): void {
    this.#suspects.set(uid, { image, attempt, state });
  }

  /** The changes that bring back those that still download. The others are forgotten. */
  async judge(ledger: Ledger, signal: AbortSignal): Promise<readonly LedgerChange[]> {
    const missing = [...this.#suspects].filter(([uid]) => !ledger.entries.has(uid));
    for (const uid of this.#suspects.keys()) if (ledger.entries.has(uid)) this.#suspects.delete(uid);
    const judged = await Promise.all(
      missing.map(async ([uid, suspect]): Promise<readonly LedgerChange[]> => {
        if (await this.#isRunning(uid, suspect, signal)) return [{ kind: 'adopt', uid, ...suspect }];
        this.#suspects.delete(uid);
        return [];
      }),
    );
    return judged.flat();
  }
}
