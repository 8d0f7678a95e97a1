import { isDeepStrictEqual } from 'node:util';
import type { VirtualMachineStatus } from '@terrain/api';

/** The first words about a machine can wait this long for better ones. */
const firstMs = 1000;
/** Later ones this long: whoever looks has been told something already. */
const laterMs = 10_000;

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
 * Guarantees: nothing is held longer than ten seconds, nothing that is wrong is held at all, and neither is the end of a root disk: images
 * count by `status.rootDisk` who waits for them. Forgetting, as in a restart, costs nothing but as much time again.
 */
export class QuietTime {
  readonly #since = new Map<string, number>();

  heldMs(key: string, before: VirtualMachineStatus | undefined, next: VirtualMachineStatus, nowMs: number): number {
    const isHarmless = onTheWay.has(readyOf(next)?.reason ?? '') && readyOf(before)?.status !== 'True';
    const losesDisk = before?.rootDisk !== undefined && before.rootDisk !== next.rootDisk;
    if (!isHarmless || losesDisk || isDeepStrictEqual(before, next)) {
      this.#since.delete(key);
      return 0;
    }
    const since = this.#since.get(key) ?? nowMs;
    const leftMs = since + (before === undefined ? firstMs : laterMs) - nowMs;
    if (leftMs > 0) this.#since.set(key, since);
    else this.#since.delete(key);
    return Math.max(0, leftMs);
  }

  forget(key: string): void {
    this.#since.delete(key);
  }
}

const readyOf = (status: VirtualMachineStatus | undefined) => status?.conditions?.find(({ type }) => type === 'Ready');
