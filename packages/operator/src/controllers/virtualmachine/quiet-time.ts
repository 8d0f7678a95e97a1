import { isDeepStrictEqual } from 'node:util';
import type { VirtualMachineStatus } from '@terrain/api';

/** The first words about a machine can wait this long for better ones. */
const firstMs = 1000;
/** Later ones this long: whoever looks has been told something already. */
const laterMs = 10_000;
/** Where many are on their way at once each takes longer: by how much for each of them, and at most. */
const crowd = { firstMs: 40, laterMs: 100, longestFirstMs: 10_000, longestLaterMs: 30_000 };

/** Words of a machine that makes its way; each is usually followed by the next within a moment. */
const onTheWay: ReadonlySet<string> = new Set([
  'Waiting',
  'ReferencePending',
  'DiskImageNotReady',
  'Cloning',
  'Starting',
  'Stopping',
  'GuestStarting',
]);

/**
 * Holds back what a machine says on its way to Ready, so that one that gets there quickly costs one status write and not five.
 *
 * Guarantees: nothing is held longer than half a minute, and without a crowd ten seconds; nothing that is wrong is held at all, and neither is the
 * end of a root disk: images count by `status.rootDisk` who waits for them. Forgetting, as in a restart, costs nothing but as much time again.
 */
export class QuietTime {
  readonly #held = new Map<string, { readonly sinceMs: number; readonly isUncounted: boolean }>();

  heldMs(key: string, before: VirtualMachineStatus | undefined, next: VirtualMachineStatus, nowMs: number): number {
    const reason = readyOf(next)?.reason ?? '';
    const isHarmless = onTheWay.has(reason) && readyOf(before)?.status !== 'True';
    const losesDisk = before?.rootDisk !== undefined && before.rootDisk !== next.rootDisk;
    if (!isHarmless || losesDisk || isDeepStrictEqual(before, next)) {
      this.#held.delete(key);
      return 0;
    }
    // Saying that a reference is not counted yet makes a version of the machine that is not: it waits as long as may be.
    const isUncounted = reason === 'ReferencePending';
    const known = this.#held.get(key);
    // The clocks of API servers differ: news from the future are news of now.
    const sinceMs = known?.isUncounted === isUncounted ? Math.min(known.sinceMs, nowMs) : nowMs;
    const leftMs = sinceMs + this.#patienceMs(before !== undefined || isUncounted) - nowMs;
    if (leftMs > 0) this.#held.set(key, { sinceMs, isUncounted });
    else this.#held.delete(key);
    return Math.max(0, leftMs);
  }

  #patienceMs(isLate: boolean): number {
    const many = this.#held.size;
    return isLate
      ? Math.min(Math.max(laterMs, many * crowd.laterMs), crowd.longestLaterMs)
      : Math.min(Math.max(firstMs, many * crowd.firstMs), crowd.longestFirstMs);
  }

  forget(key: string): void {
    this.#held.delete(key);
  }
}

const readyOf = (status: VirtualMachineStatus | undefined) => status?.conditions?.find(({ type }) => type === 'Ready');
