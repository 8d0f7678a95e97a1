import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataVolume } from '#platform/cdi.ts';
import { ago, aVolume, hash, nowMs, volumeName } from '#testing/image-world.ts';
import { Memories } from './memory.ts';
import type { Attempt } from './record.ts';
import type { Memory } from './snapshot.ts';

const attempt: Attempt = { number: 1, sourceHash: hash, startedAt: ago(100), dataVolume: volumeName(1) };
const killed = aVolume({ progress: '50.00%', running: { status: 'False', reason: 'OOMKilled' } });
const at = (progress: string): DataVolume => aVolume({ progress });

/** What a process remembers that sees these, a second apart, having found the attempt like this in the status. */
function afterSeeing(volumes: readonly DataVolume[], known: Partial<Attempt> = {}, reported?: string): Memory {
  const memories = new Memories();
  for (const [index, volume] of volumes.entries())
    memories.see('uid', { ...attempt, ...known }, volume, nowMs + index * 1000, reported);
  return memories.of('uid', 1);
}

const kills: Record<string, { given: readonly DataVolume[]; known?: Partial<Attempt>; want: number }> = {
  none: { given: [at('1.00%'), at('2.00%')], want: 0 },
  'one that is shown is judged by what is shown, and not counted yet': { given: [at('50.00%'), killed, killed], want: 0 },
  'one counts when CDI has taken it back, since then it begins again': { given: [killed, killed, at('50.00%')], want: 1 },
  'each counts': { given: [killed, at('50.00%'), killed, at('1.00%')], want: 2 },
  'a process that finds one shown counts it when it is taken back, as the one before it would have': {
    given: [killed, at('50.00%')],
    known: { kills: 1 },
    want: 2,
  },
  'a process that finds none shown counts none again': { given: [at('50.00%'), at('1.00%')], known: { kills: 1 }, want: 1 },
};
for (const [name, { given, known, want }] of Object.entries(kills))
  test(`kills: ${name}`, () => assert.equal(afterSeeing(given, known).kills ?? 0, want));

const falls: Record<string, { given: readonly DataVolume[]; known?: Partial<Attempt>; reported?: string; want: number }> = {
  'none while it goes on': { given: [at('N/A'), at('0.10%'), at('7.00%'), at('7.00%'), at('99.00%')], want: 0 },
  'from much to little': { given: [at('27.44%'), at('7.47%')], want: 1 },
  'each counts': { given: [at('30.00%'), at('1.00%'), at('40.00%'), at('2.00%')], want: 2 },
  'with nothing told in between': { given: [at('30.00%'), at('N/A'), at('1.00%')], want: 1 },
  'nothing told is no fall': { given: [at('30.00%'), at('N/A'), at('31.00%')], want: 0 },
  'a little less may be a matter of reading': { given: [at('30.00%'), at('29.00%')], want: 0 },
  'CDI’s second pod, for scratch space, begins by itself': {
    given: [at('3.00%'), aVolume({ running: { status: 'False', reason: 'Scratch space required' } }), at('1.00%')],
    want: 0,
  },
  'what happened while nobody looked is not guessed at': { given: [at('1.00%'), at('2.00%')], reported: '80%', want: 0 },
  'a process goes on from what the one before it counted': { given: [at('30.00%'), at('1.00%')], known: { falls: 2 }, want: 3 },
};
for (const [name, { given, known, reported, want }] of Object.entries(falls))
  test(`falls: ${name}`, () => assert.equal(afterSeeing(given, known, reported).falls ?? 0, want));

const progress: Record<string, { given: readonly DataVolume[]; want: number | undefined }> = {
  'more is progress': { given: [at('1.00%'), at('1.01%')], want: nowMs + 1000 },
  'the first figure is progress': { given: [at('N/A'), at('1.00%')], want: nowMs + 1000 },
  'the same is none': { given: [at('1.00%'), at('2.00%'), at('2.00%')], want: nowMs + 1000 },
  'a fall is none': { given: [at('1.00%'), at('50.00%'), at('2.00%')], want: nowMs + 1000 },
  'no figure any more is none': { given: [at('1.00%'), at('2.00%'), at('N/A')], want: nowMs + 1000 },
  'what comes after a fall is': { given: [at('50.00%'), at('2.00%'), at('3.00%')], want: nowMs + 2000 },
};
for (const [name, { given, want }] of Object.entries(progress))
  test(`progress: ${name}`, () => assert.equal(afterSeeing(given).progressedAtMs, want));

test('the last failure of the attempt is remembered after CDI has taken it back, and that of another is not', () => {
  const memories = new Memories();
  const message = 'Unable to connect to http data source: expected status code 200, got 503. Status: 503 x';
  memories.see('uid', attempt, aVolume({ running: { status: 'False', reason: 'Error', message } }), nowMs);
  memories.see('uid', attempt, aVolume({ restartCount: 1 }), nowMs);
  assert.deepEqual(memories.of('uid', 1).failure, { class: 'retryable', reason: 'SourceUnreachable', message });
  memories.see('uid', { ...attempt, number: 2 }, aVolume({ attempt: 2 }), nowMs);
  assert.equal(memories.of('uid', 2).failure, undefined);
});

test('what holds a slot is remembered since it was first seen, until nothing does', () => {
  const memories = new Memories();
  const holder = () => memories.of('uid', undefined).slotHolder;
  memories.slotHeldBy('uid', 1, 'DataVolume disk', nowMs);
  memories.slotHeldBy('uid', 1, 'Pod importer-disk', nowMs + 1000);
  const first = { attempt: 1, what: 'Pod importer-disk', sinceMs: nowMs };
  assert.deepEqual(holder(), first, 'the slot has been held for all that time');
  memories.slotHeldBy('uid', 2, 'Pod importer-disk', nowMs + 1000);
  assert.deepEqual(holder(), { ...first, attempt: 2, sinceMs: nowMs + 1000 }, 'that of another attempt has not');
  memories.slotHeldBy('uid', 2, undefined, nowMs + 2000);
  assert.equal(holder(), undefined);
  memories.slotHeldBy('uid', 3, 'Pod importer-disk', nowMs);
  memories.forget('uid');
  assert.equal(holder(), undefined);
});
