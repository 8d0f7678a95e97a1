import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, type Ledger } from '@terrain/api';
import { Registry } from '@terrain/runtime';
import { SyncQueue } from '#queue/sync-queue.ts';
import { ago, anEntry, nowMs } from '#testing/image-world.ts';
import { type MeasuredKeeper, watchQueue } from './queue-gauges.ts';

async function shown(ledger: Ledger | undefined, queue = new SyncQueue(), loaded: Promise<void> = Promise.resolve()) {
  const registry = new Registry();
  const keeper: MeasuredKeeper = { queue, ledger, loaded };
  watchQueue(registry, keeper, () => nowMs);
  await Promise.resolve();
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]));
}

test('the queue and the slots are shown as they are', async () => {
  const queue = new SyncQueue();
  for (const [uid, seconds] of [
    ['a', 30],
    ['b', 90],
  ] as const) {
    const place = { queuedAtMs: nowMs - seconds * 1000, ticket: 1n, key: `farm/${uid}` };
    queue.set({ ...place, uid, namespace: 'farm', attempt: 1, isSettled: true });
  }
  const entries = new Map([
    ['x', anEntry({ since: ago(10) })],
    ['y', anEntry({ since: ago(40), state: 'closing' })],
  ]);
  assert.deepEqual(await shown({ ...emptyLedger, limit: 3, entries }, queue), {
    terrain_sync_queue_depth: 2,
    terrain_sync_queue_oldest_seconds: 90,
    terrain_sync_slots_limit: 3,
    terrain_sync_slots_active: 2,
    terrain_sync_slots_closing: 1,
    terrain_sync_slots_oldest_seconds: 40,
    terrain_sync_ledger_usable: 1,
  });
});

test('nobody waits and nothing runs', async () => {
  const { terrain_sync_queue_oldest_seconds: oldest, terrain_sync_slots_oldest_seconds: held } = await shown(emptyLedger);
  assert.deepEqual([oldest, held], [0, 0]);
});

test('a ledger that cannot be used is told; a process that has read none is silent', async () => {
  assert.deepEqual(await shown(undefined), { terrain_sync_ledger_usable: 0 });
  assert.deepEqual(await shown(undefined, new SyncQueue(), new Promise(() => undefined)), {});
});
