import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry } from '@terrain/api';
import { anEntry, aSnapshot, syncing } from '#testing/image-world.ts';
import { endAttempt } from './attempt.ts';
import { decide } from './decide.ts';
import type { Pass } from './pass.ts';
import type { StoredImage } from './snapshot.ts';
import type { Step } from './step.ts';

/** An attempt that runs by its status, without a slot and a DataVolume as far as the caches know. */
function interrupted(stored: LedgerEntry | 'unreadable' | undefined) {
  const snapshot = aSnapshot({ image: { status: syncing() } });
  const decision = decide(snapshot);
  const written: string[] = [];
  const pass = {
    deps: {
      eyes: { dataVolume: async () => undefined, entry: async () => stored },
      intake: { wrote: () => undefined },
      memories: { forget: () => undefined },
      record: () => undefined,
    },
    hands: {
      writeStatus: async (image: StoredImage, status: StoredImage['status']) => {
        written.push(String(status?.history?.at(-1)?.result));
        return { ...image, status, metadata: { ...image.metadata, resourceVersion: '99' } };
      },
    },
    signal: new AbortController().signal,
  } as unknown as Pass;
  const step = decision.step as Extract<Step, { kind: 'end' }>;
  return { step, written, result: endAttempt(pass, snapshot, decision, step) };
}

test('an attempt without a slot is over', async () => {
  const { step, written, result } = interrupted(undefined);
  assert.equal(step.kind, 'end');
  assert.deepEqual([(await result).afterMs, written], [0, ['Interrupted']]);
});

for (const [name, stored] of Object.entries({ 'has a slot': anEntry(), 'cannot be read': 'unreadable' as const }))
  test(`an attempt goes on whose slot the cache does not show, when the stored ledger ${name}`, async () => {
    const { written, result } = interrupted(stored);
    assert.deepEqual([(await result).afterMs, written], [1000, []]);
  });
