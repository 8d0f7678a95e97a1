import { isDeepStrictEqual } from 'node:util';
import { isUnseen, type VirtualMachineStatus } from '@terrain/api';
import { HeldWords, type Patience } from '#controllers/shared/held-words.ts';

const patience: Patience = {
  firstMs: 1000,
  laterMs: 10_000,
  crowd: { firstMs: 300, laterMs: 300, longestFirstMs: 30_000, longestLaterMs: 30_000 },
  gather: { forEachMs: 3, longestMs: 1000 },
};

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
 * Holds back what a machine says on its way to Ready.
 *
 * Guarantees: a step that lasts is told after half a minute at most, and without a crowd after ten seconds, and none is held longer than twice that;
 * nothing that is wrong is held at all, and neither is the end of a root disk: images count by `status.rootDisk` who waits for them.
 */
export class QuietTime {
  readonly #words = new HeldWords(patience);

  heldMs(key: string, before: VirtualMachineStatus | undefined, next: VirtualMachineStatus, nowMs: number): number {
    const reason = readyOf(next)?.reason ?? '';
    const isHarmless = onTheWay.has(reason) && readyOf(before)?.status !== 'True';
    const losesDisk = before?.rootDisk !== undefined && before.rootDisk !== next.rootDisk;
    if (!isHarmless || losesDisk || isDeepStrictEqual(before, next)) {
      this.#words.forget(key);
      return 0;
    }
    // Saying that a reference is not counted yet makes a version of the machine that is not: it waits as long as may be.
    const isUncounted = reason === 'ReferencePending';
    return this.#words.heldMs(
      key,
      { isLate: !isUnseen({ status: before }) || isUncounted, kind: isUncounted ? 'uncounted' : 'counted', step: reason },
      nowMs,
    );
  }

  forget(key: string): void {
    this.#words.forget(key);
  }

  gatherMs(): number {
    return this.#words.gatherMs();
  }
}

const readyOf = (status: VirtualMachineStatus | undefined) => status?.conditions?.find(({ type }) => type === 'Ready');
