import type { Ledger } from '@terrain/api';
import { SyncQueue, type Waiting } from '#queue/sync-queue.ts';
import { freeSlots, roomIn } from './transition.ts';

/** Looks at an image live: as it waits now, or undefined when it does not wait any more. */
export type Confirm = (waiting: Waiting, signal: AbortSignal) => Promise<Waiting | undefined>;

/** Whether an image still waits, by what is known without asking anybody. Who does not is woken, to say what it waits for instead. */
export type StillWaits = (waiting: Waiting) => boolean;

/**
 * Who is admitted next.
 *
 * Guarantees: an image is chosen only on a view of it that is newer than every foreign write of the ledger, since whoever wrote it may
 * have run, or ended, an attempt of that image; and only if nothing it needs is known to be missing, since it would hold the slot for nothing.
 */
export class Admission {
  readonly queue = new SyncQueue();
  readonly #confirm: Confirm;
  readonly #stillWaits: StillWaits;
  /** Rises with every write of somebody else: what was known of images before may be out of date. */
  #epoch = 1;
  readonly #verified = new Map<string, number>();

  constructor(confirm: Confirm, stillWaits: StillWaits) {
    this.#confirm = confirm;
    this.#stillWaits = stillWaits;
  }

  /** Somebody else has written the ledger. */
  doubtAll(): void {
    this.#epoch++;
  }

  /** The image was read or written at this moment with nobody else in between. */
  verified(uid: string): void {
    this.#verified.set(uid, this.#epoch);
  }

  forget(uid: string): void {
    this.#verified.delete(uid);
  }

  /** The first images there is room for, each looked at live if somebody else has written the ledger since it was last seen. */
  async choose(ledger: Ledger, signal: AbortSignal): Promise<readonly Waiting[]> {
    if (this.queue.size === 0 || freeSlots(ledger) === 0) return [];
    const room = roomIn(ledger);
    /** Each is looked at once, however many others turn out not to wait. */
    const known = new Set<Waiting>();
    for (;;) {
      const chosen = this.queue.choose(room);
      const doubtful = chosen.filter(({ uid }) => !ledger.entries.has(uid) && this.#verified.get(uid) !== this.#epoch);
      const doubted = new Set(doubtful);
      const over = chosen.filter((waiting) => {
        if (ledger.entries.has(waiting.uid)) return true;
        if (doubted.has(waiting) || known.has(waiting)) return false;
        known.add(waiting);
        return !this.#stillWaits(waiting);
      });
      for (const { uid } of over) this.queue.remove(uid);
      if (doubtful.length === 0 && over.length === 0) return chosen;
      const epoch = this.#epoch;
      await Promise.all(doubtful.map((waiting) => this.#lookAt(waiting, epoch, signal)));
    }
  }

  async #lookAt(waiting: Waiting, epoch: number, signal: AbortSignal): Promise<void> {
    const confirmed = await this.#confirm(waiting, signal);
    if (confirmed === undefined) {
      this.queue.remove(waiting.uid);
      return;
    }
    this.queue.set(confirmed);
    this.#verified.set(waiting.uid, epoch);
  }
}
