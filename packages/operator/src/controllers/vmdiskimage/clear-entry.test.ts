import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '@terrain/api';
import type { LedgerChange } from '#ledger/transition.ts';
import { clearEntry } from './attempt.ts';
import type { Pass } from './pass.ts';

const image = { namespace: 'ns', name: 'disk', uid: 'u' };
const entry = { image: 'ns/disk', attempt: 1, state: 'closing' } as LedgerEntry;

/** The DataVolume is gone at once, since it is deleted in the background; its importer may go on downloading. */
function clearing(isImporterLeft: boolean) {
  const changes: LedgerChange['kind'][] = [];
  const pass = {
    deps: {
      keeper: { change: async ({ kind }: LedgerChange) => void changes.push(kind), closingSince: () => 0 },
      eyes: { dataVolume: async () => undefined, hasImporter: async () => isImporterLeft },
      serverNow: () => 60_000,
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
  return { changes, result: clearEntry(pass, image, entry, { hadVolume: true }) };
}

test('a slot is not given away while an importer is left, and looked at again', async () => {
  const { changes, result } = clearing(true);
  assert.deepEqual([(await result).afterMs, changes], [60_000, []]);
});

test('a slot is given away when no importer is left', async () => {
  const { changes, result } = clearing(false);
  assert.deepEqual([(await result).afterMs, changes], [undefined, ['release']]);
});
