import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aClaim, aCut, anEntry, aSnapshot, aVolume, cutNameOf, synced, syncing, volumeName } from '#testing/image-world.ts';
import { decide } from './decide.ts';
import { garbageOf } from './garbage.ts';
import type { Snapshot } from './snapshot.ts';

const names = (objects: readonly { metadata: { name?: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? '');
const done = (attempt: number) => aVolume({ attempt, phase: 'Succeeded' });
const newer = synced({
  attempt: { number: 2, dataVolume: volumeName(2) },
  retry: { lastAttempt: 2 },
  artifact: { volumeSnapshot: cutNameOf(2), dataVolume: volumeName(2) },
});

const cases: Record<string, { given: Snapshot; want: { snapshots?: string[]; dataVolumes?: string[]; strays?: string[] } }> = {
  'the artifact stays': {
    given: aSnapshot({ image: { status: synced() }, dataVolumes: [done(1)], claims: [aClaim()], snapshots: [aCut()] }),
    want: {},
  },
  'a running attempt stays': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing() }, dataVolumes: [aVolume()] }),
    want: {},
  },
  'the first cut of a running attempt stays, though no status names it': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing() },
      dataVolumes: [done(1)],
      claims: [aClaim()],
      snapshots: [aCut({ ready: false })],
    }),
    want: {},
  },
  'the volume of an attempt that is over is the slot’s affair while it has one': {
    given: aSnapshot({ entry: anEntry(), image: { status: syncing({ retry: { lastAttempt: 1 } }) }, dataVolumes: [aVolume()] }),
    want: {},
  },
  'of an older artifact the snapshot goes first': {
    given: aSnapshot({
      image: { status: newer },
      dataVolumes: [done(1), done(2)],
      claims: [aClaim({ attempt: 1 }), aClaim({ attempt: 2 })],
      snapshots: [aCut({ attempt: 1 }), aCut({ attempt: 2 })],
    }),
    want: { snapshots: [cutNameOf(1)] },
  },
  'then its volume': {
    given: aSnapshot({
      image: { status: newer },
      dataVolumes: [done(1), done(2)],
      claims: [aClaim({ attempt: 1 }), aClaim({ attempt: 2 })],
      snapshots: [aCut({ attempt: 2 })],
    }),
    want: { dataVolumes: [volumeName(1)] },
  },
  'nothing goes that a root disk is being cloned from': {
    given: aSnapshot({
      image: { status: newer },
      dataVolumes: [done(1), done(2)],
      snapshots: [aCut({ attempt: 1 }), aCut({ attempt: 2 })],
      cloning: new Set([cutNameOf(1)]),
    }),
    want: {},
  },
  'a cut that was replaced goes': {
    given: aSnapshot({
      image: { status: synced({ artifact: { volumeSnapshot: cutNameOf(1, 2) } }) },
      dataVolumes: [done(1)],
      claims: [aClaim()],
      snapshots: [aCut({ cut: 1, error: 'x' }), aCut({ cut: 2 })],
    }),
    want: { snapshots: [cutNameOf(1)] },
  },
  'a cut that was replaced within an attempt goes': {
    given: aSnapshot({
      entry: anEntry(),
      image: { status: syncing({ attempt: { volumeSnapshot: cutNameOf(1, 2) } }) },
      dataVolumes: [done(1)],
      claims: [aClaim()],
      snapshots: [aCut({ cut: 1, error: 'x' })],
    }),
    want: { snapshots: [cutNameOf(1)] },
  },
  'what is going already is left alone': {
    given: aSnapshot({
      image: { status: newer },
      dataVolumes: [aVolume({ attempt: 1, isGoing: true })],
      snapshots: [aCut({ attempt: 1, isGoing: true })],
    }),
    want: {},
  },
  'a complete download whose snapshot could not be cut stays': {
    given: aSnapshot({
      image: { status: syncing({ retry: { lastAttempt: 1, gaveUp: { at: 'x', reason: 'SnapshotFailed' } } }) },
      dataVolumes: [done(1)],
      claims: [aClaim()],
    }),
    want: {},
  },
  'the same of a former source goes': {
    given: aSnapshot({
      image: { spec: { url: 'https://images.example.com/new' }, status: syncing({ retry: { lastAttempt: 1 } }) },
      dataVolumes: [done(1)],
      claims: [aClaim()],
    }),
    want: { dataVolumes: [volumeName(1)] },
  },
  'a download nobody has a slot for is a stray': {
    given: aSnapshot({
      image: { status: synced() },
      dataVolumes: [done(1), aVolume({ attempt: 7 })],
      claims: [aClaim()],
      snapshots: [aCut()],
    }),
    want: { strays: [volumeName(7)] },
  },
  'a stray is found also while another attempt runs': {
    given: aSnapshot({
      entry: anEntry({ attempt: 2 }),
      image: { status: syncing({ attempt: { number: 2, dataVolume: volumeName(2) }, retry: { lastAttempt: 1 } }) },
      dataVolumes: [aVolume({ attempt: 1 }), aVolume({ attempt: 2 })],
    }),
    want: { strays: [volumeName(1)] },
  },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`garbage: ${name}`, () => {
    const { snapshots, dataVolumes, strays } = garbageOf(given, decide(given).record);
    assert.deepEqual(
      { snapshots: names(snapshots), dataVolumes: names(dataVolumes), strays: names(strays) },
      { snapshots: [], dataVolumes: [], strays: [], ...want },
    );
  });
