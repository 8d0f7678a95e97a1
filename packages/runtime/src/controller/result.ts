/** When a reconcile is to be repeated, apart from changes of what it watches. */
export type Result = { readonly afterMs?: number };

/** All is as it should be, or somebody else's change will wake the key. */
export const done: Result = Object.freeze({});

/**
 * Come back in so many milliseconds: waiting, not failing, so it counts as success and uses up no retry.
 *
 * Guarantees: any length works. A change that comes first replaces the wait: the pass it causes decides anew.
 */
export function after(afterMs: number): Result {
  if (!(afterMs >= 0 && Number.isFinite(afterMs)))
    throw new RangeError(`after() takes a number of milliseconds from 0 on, got ${afterMs}`);
  return { afterMs };
}

/**
 * An error that trying again will not cure: the key rests until something it watches changes.
 *
 * Caveats: for what only a change of the object can cure. "Not there yet" is no error at all: return `done` and let the watch wake the key.
 */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
