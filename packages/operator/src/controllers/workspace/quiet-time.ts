import { isDeepStrictEqual } from 'node:util';
import { isUnseen, type WorkspaceReason, type WorkspaceStatus } from '@terrain/api';
import { HeldWords, type Patience } from '#controllers/shared/held-words.ts';

const patience: Patience = {
  firstMs: 1000,
  laterMs: 3000,
  crowd: { firstMs: 300, laterMs: 300, longestFirstMs: 30_000, longestLaterMs: 30_000 },
  gather: { forEachMs: 10, longestMs: 1000 },
};

/** Reasons of parts that make their way; each is usually followed by the next within a moment. */
const onTheWay: ReadonlySet<string> = new Set<WorkspaceReason>([
  'Waiting',
  'Progressing',
  'DiskImagesNotReady',
  'NetworksPending',
  'VolumesPending',
  'VirtualMachinesNotReady',
  'ContainersNotReady',
  // Roles are applied when everything else is there, and hold up nothing.
  'RolesPending',
  'RunnerNotConfigured',
]);

/**
 * Holds back what a workspace says on its way to Ready: a lab of twenty parts would otherwise tell of each of them.
 *
 * Guarantees: a step that lasts is told after half a minute at most, and without a crowd after three seconds, and none is held longer than twice that;
 * nothing that needs a person is held at all, and neither is the end of that, or of Ready.
 */
export class QuietTime {
  readonly #words = new HeldWords(patience);

  heldMs(key: string, before: WorkspaceStatus | undefined, next: WorkspaceStatus, nowMs: number): number {
    const isAsBefore = before?.phase === undefined || before.phase === 'Provisioning';
    if (!isAsBefore || !isHarmless(next) || isDeepStrictEqual(before, next)) {
      this.#words.forget(key);
      return 0;
    }
    return this.#words.heldMs(key, { isLate: !isUnseen({ status: before }), step: stepOf(next) }, nowMs);
  }

  forget(key: string): void {
    this.#words.forget(key);
  }

  gatherMs(): number {
    return this.#words.gatherMs();
  }
}

/** How far it is: what it waits for first, and how many of its parts are there. */
const stepOf = ({ conditions = [], ready }: WorkspaceStatus): string =>
  `${conditions.find(({ type }) => type === 'Ready')?.reason} ${ready}`;

const isHarmless = ({ phase, conditions = [], components = [] }: WorkspaceStatus): boolean =>
  phase === 'Provisioning' &&
  conditions.every(({ status, reason }) => status === 'True' || onTheWay.has(reason)) &&
  components.every((component) => component.phase !== 'Failed');
