import { projection } from './coverage.ts';
import { digest } from './digest.ts';

interface Remembered {
  readonly desired: string;
  readonly actual: string;
}

const capacity = 20_000;

/**
 * How the server renders manifests that it does not store as they were sent (quantities, defaults inside lists, write-only fields), so that
 * such a manifest is not sent again and again.
 *
 * Caveats: bounded and gone with the process; forgetting costs one request that changes nothing.
 */
export class AppliedMemory {
  readonly #remembered = new Map<string, Remembered>();

  /** `id` names the object and the part of it that was applied; `isAsSent` that the server stored it so, which needs no remembering. */
  note(id: string, desired: unknown, answer: unknown, isAsSent: boolean): void {
    this.#remembered.delete(id);
    if (isAsSent) return;
    this.#remembered.set(id, { desired: digest(desired), actual: digest(projection(desired, answer)) });
    if (this.#remembered.size > capacity) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
  }

  /** Whether `actual` is what the server made of just this `desired` before. */
  matches(id: string, desired: unknown, actual: unknown): boolean {
    const known = this.#remembered.get(id);
    return known !== undefined && known.desired === digest(desired) && known.actual === digest(projection(desired, actual));
  }
}
