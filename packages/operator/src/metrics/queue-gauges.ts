import type { LedgerEntry } from '@terrain/api';
import { Gauge, type Registry } from '@terrain/runtime';
import type { LedgerKeeper } from '#ledger/keeper.ts';

/** What the gauges look at. */
export type MeasuredKeeper = Pick<LedgerKeeper, 'queue' | 'ledger' | 'loaded'>;

/**
 * Shows the queue and the slots when somebody looks.
 *
 * Guarantees: a look costs as much as there are slots, whatever the length of the queue. A process that does not lead has read no ledger and
 * shows none of these, so that sums over all processes are right and a follower raises no alarm.
 */
export function watchQueue(registry: Registry, keeper: MeasuredKeeper, serverNow: () => number): void {
  let isLoaded = false;
  keeper.loaded.then(
    () => {
      isLoaded = true;
    },
    () => undefined,
  );
  const gauge = (name: string, help: string, measure: () => number | undefined): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const value = measure();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  };
  const entries = (): readonly LedgerEntry[] | undefined =>
    keeper.ledger === undefined ? undefined : [...keeper.ledger.entries.values()];
  const ageSeconds = (sinceMs: number | undefined): number =>
    sinceMs === undefined || Number.isNaN(sinceMs) ? 0 : Math.max(0, serverNow() - sinceMs) / 1000;

  gauge('terrain_sync_queue_depth', 'Images that wait for nothing but a slot.', () =>
    keeper.ledger === undefined ? undefined : keeper.queue.size,
  );
  gauge(
    'terrain_sync_queue_oldest_seconds',
    'How long the first image in the queue has waited; 0 when the queue is empty.',
    () => (keeper.ledger === undefined ? undefined : ageSeconds(keeper.queue.first?.queuedAtMs)),
  );
  gauge('terrain_sync_slots_limit', 'Downloads the policy allows at once, as the ledger has it.', () => keeper.ledger?.limit);
  gauge(
    'terrain_sync_slots_active',
    'Slots in use, those of ended attempts that are being cleared away included.',
    () => entries()?.length,
  );
  gauge(
    'terrain_sync_slots_closing',
    'Slots of ended attempts that are being cleared away.',
    () => entries()?.filter(({ state }) => state === 'closing').length,
  );
  gauge('terrain_sync_slots_oldest_seconds', 'How long the oldest slot in use has been held; 0 when none is.', () => {
    const held = entries();
    return held === undefined ? undefined : Math.max(0, ...held.map(({ since }) => ageSeconds(Date.parse(since))));
  });
  gauge('terrain_sync_ledger_usable', '1 while the ledger of running syncs can be used; with 0 no sync starts.', () => {
    if (!isLoaded) return undefined;
    return keeper.ledger === undefined ? 0 : 1;
  });
}
