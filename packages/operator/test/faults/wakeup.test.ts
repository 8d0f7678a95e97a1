import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import { defaultScenario } from '@terrain/embedded/testing';
import type { CallMatch, FaultPlan, RequestEntry } from '@terrain/runtime/testing';
import { Stage } from '../apiserver/stage.ts';
import { types } from '../apiserver/types.ts';
import { observing } from '../apiserver/watched.ts';
import { sample } from './effort.ts';
import { PlayedOperator, RealOperator } from './lives.ts';

const scenario = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 200, bind: 20, snapshot: 50, podStop: 20 },
};
const leaseMs = 6000;
const policy = { concurrency: '1', retryLimit: '0' };

const status: CallMatch = { verb: 'patch', resource: 'vmdiskimages', subresource: 'status' };
const ledgerWrite: CallMatch = { verb: 'update', resource: 'configmaps' };
const removal: CallMatch = { verb: 'delete', resource: 'datavolumes' };
const creation: CallMatch = { verb: 'create', resource: 'datavolumes' };

/** The writes of an attempt that ends, from its download on: the one that releases the slot admits the next image. */
const ending: readonly { readonly name: string; readonly match: CallMatch; readonly nth: number }[] = [
  { name: 'the outcome into the status', match: status, nth: 1 },
  { name: 'the closing of the slot', match: ledgerWrite, nth: 1 },
  { name: 'the deletion of the DataVolume', match: removal, nth: 1 },
  { name: 'the release of the slot', match: ledgerWrite, nth: 2 },
  { name: "the next image's DataVolume", match: creation, nth: 1 },
];

const gate = 'woken';
const holding = (match: CallMatch, nth: number): FaultPlan => ({
  rules: [{ on: 'request', match, nth, do: { fault: 'hold', gate } }],
});
const heldBy = (requests: readonly RequestEntry[]): RequestEntry | undefined => requests.find(({ fault }) => fault === 'hold');

/** Waits for something that happens outside of the cluster. */
async function eventually(what: string, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 6000; tries++) {
    if (isTrue()) return;
    await pass(20);
  }
  assert.fail(`waited two minutes for ${what}`);
}

/** One image whose source is missing, and one that waits for its slot. */
async function twoImages(stage: Stage): Promise<void> {
  await stage.createImage('first', { sim: 'http:404' });
  await stage.createImage('second');
}

async function settled(stage: Stage): Promise<void> {
  await stage.phase('first', 'Failed');
  await stage.phase('second', 'Succeeded');
  await stage.until('all slots to be free', () => stage.ledger().entries.size === 0);
}

/** Every one of them was tried once, whoever did it. */
function assertTriedOnce(stage: Stage, made: readonly string[]): void {
  assert.deepEqual(made.toSorted(), [...new Set(made)].toSorted(), 'a DataVolume was made twice');
  assert.deepEqual(
    ['first', 'second'].map((name) => stage.image(name)?.status?.history?.map(({ result }) => result)),
    [['SourceNotFound'], ['Succeeded']],
  );
}

/** Lets it work until the trap springs, stops it there, and lets its lease run out. */
async function freezeInTrap(old: RealOperator, springs: () => Promise<void>): Promise<void> {
  {
    await using _ = old.keptAlive();
    await springs();
  }
  await old.process.freeze();
  await pass(leaseMs * 1.2);
}

/** What was held back reaches the server, and whoever sent it finds out that it leads no more. */
async function wake(old: RealOperator): Promise<RequestEntry | undefined> {
  const held = heldBy(old.proxy.log.requests);
  old.proxy.open(gate);
  await eventually('an answer to what was held', () => held === undefined || held.code !== undefined);
  old.process.thaw();
  await old.process.exited;
  assert.match(old.process.output, /LeadershipLostError/);
  return held;
}

test('a leader stopped past its lease in the middle of an ending attempt does no harm when it is woken', async (t) => {
  for (const { name, match, nth } of sample(t, ending, 2))
    await t.test(`with ${name} on its way`, async () => {
      await using stage = await Stage.open({ scenario, policy });
      await observing(stage, async (observer) => {
        await using old = await RealOperator.start(stage, { leaseMs });
        await freezeInTrap(old, async () => {
          await twoImages(stage);
          await stage.until('a download', () => stage.things(types.dataVolumes)[0]);
          old.proxy.follow(holding(match, nth));
          await eventually('the trap to spring', () => heldBy(old.proxy.log.requests) !== undefined);
        });
        await using _ = await PlayedOperator.start(stage);
        await settled(stage);
        const held = await wake(old);
        assert.ok((held?.code ?? 0) >= 400, `the server took it late: ${held?.code}`);
        await settled(stage);
        await observer.caughtUp();
        assertTriedOnce(stage, madeVolumes(observer.history));
      });
    });
});

test('a leader stopped with a create on its way is woken while its successor ends that attempt', async (t) => {
  for (const { name, match, nth } of sample(t, ending, 2))
    await t.test(`before ${name}`, async () => {
      await using stage = await Stage.open({ scenario, policy });
      await observing(stage, async (observer) => {
        await using old = await RealOperator.start(stage, { leaseMs, plan: holding(creation, 1) });
        await freezeInTrap(old, async () => {
          await twoImages(stage);
          await eventually('the trap to spring', () => heldBy(old.proxy.log.requests) !== undefined);
        });
        await using successor = await PlayedOperator.start(stage);
        await stage.until('a download', () => stage.things(types.dataVolumes)[0]);
        successor.proxy.follow(holding(match, nth));
        await eventually('the gap', () => heldBy(successor.proxy.log.requests) !== undefined);
        const held = await wake(old);
        assert.ok((held?.code ?? 0) >= 400, `the server took it late: ${held?.code}`);
        successor.proxy.open(gate);
        await settled(stage);
        await observer.caughtUp();
        assertTriedOnce(stage, madeVolumes(observer.history));
      });
    });
});

function madeVolumes(
  history: readonly { type: string; resource: { plural: string }; object: { metadata: { name?: string } } }[],
) {
  return history
    .filter(({ type, resource }) => type === 'ADDED' && resource.plural === types.dataVolumes.plural)
    .map(({ object }) => object.metadata.name ?? '');
}
