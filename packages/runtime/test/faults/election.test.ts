import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testCluster } from '@terrain/embedded/testing';
import type { CallMatch, FaultPlan, RequestEntry, RequestFault } from '@terrain/runtime/testing';
import { until } from '../until.ts';
import { type Ground, realGround } from './ground.ts';
import { PlayedLives, RealLives } from './lives.ts';
import { assertSameLives } from './oracles.ts';
import { endState, Scenario, type Stage } from './scenario.ts';
import { inWords, type Outcome, quiet, trial } from './trial.ts';

const leaseMs = 6000;

/** What the leader is in the middle of when it is stopped. */
interface Trap {
  readonly plan?: FaultPlan;
  /** It reaches the server only after the successor's first write, so a precondition must refuse it. */
  readonly arrivesLate?: true;
}

const write = { verb: 'write', not: { resource: 'leases' } } as const;
const first = (match: CallMatch, fault: RequestFault, nth = 1): FaultPlan => ({
  rules: [{ on: 'request', match, nth, do: fault }],
});
const gate = 'taken over';
const traps: Record<string, Trap> = {
  'had nothing to do': {},
  'was told to wait with a write': { plan: first(write, { fault: 'answer', code: 429, retryAfterSeconds: 1 }, 2) },
  'had a finalizer on its way': { plan: first({ verb: 'patch' }, { fault: 'hold', gate }), arrivesLate: true },
  'had a creation on its way': {
    plan: first({ verb: 'create', resource: 'configmaps' }, { fault: 'hold', gate }),
    arrivesLate: true,
  },
  'had a status on its way': {
    plan: first({ verb: 'patch', subresource: 'status' }, { fault: 'hold', gate }),
    arrivesLate: true,
  },
  'had an answer on its way': { plan: first(write, { fault: 'hold', of: 'reply', gate }) },
};

const isObjectWrite = ({ write: number, resource }: RequestEntry): boolean => number !== undefined && resource !== 'leases';
const isDone = (entry: RequestEntry): boolean => isObjectWrite(entry) && entry.code !== undefined && entry.code < 300;

/** When the first write of a controller was asked for, after a moment. */
async function firstWrite(lives: RealLives, afterMs: number): Promise<number> {
  const find = (): RequestEntry | undefined => lives.requests.find((entry) => isDone(entry) && entry.atMs > afterMs);
  await until('write of the successor', () => find() !== undefined, 120_000);
  return find()!.atMs;
}

describe('two controllers on a real API server', { concurrency: 3 }, () => {
  let ground: Ground;
  let calm: Outcome;
  before(async () => {
    ground = await realGround(await testCluster({ controllerManager: true }));
    calm = await trial(ground, (stage) => new PlayedLives(stage, ground.upstream));
  });
  after(() => ground.close());

  const candidate = async (stage: Stage, plan?: FaultPlan, leaseLengthMs = leaseMs): Promise<RealLives> => {
    const env = { LEASE: `${stage.namespace}/mailboxes`, LEASE_MS: `${leaseLengthMs}` };
    const lives = await RealLives.prepare(stage, ground.upstream, { env, ...(plan === undefined ? {} : { plan }) });
    await lives.start();
    return lives;
  };
  const leads = (lives: RealLives): Promise<unknown> => lives.process.said(/"msg":"leading"/);

  for (const [name, { plan, arrivesLate }] of Object.entries(traps)) {
    test(`a leader that ${name} when it was stopped past its lease does nothing when it is woken`, async (t) => {
      const stage = await ground.stage();
      await using old = await candidate(stage, plan);
      await leads(old);
      await using successor = await candidate(stage);
      const scenario = new Scenario(stage);
      if (plan === undefined) await old.process.freeze();
      const creating = scenario.create();
      if (plan !== undefined) {
        await until('trap', () => old.requests.some(({ fault }) => fault !== undefined));
        await old.process.freeze();
      }
      const frozenAt = performance.now();
      const takenOverAt = await firstWrite(successor, frozenAt);
      t.diagnostic(
        `${((takenOverAt - frozenAt) / 1000).toFixed(1)} s from the stop to the successor's first write, lease ${leaseMs / 1000} s`,
      );
      await creating;
      old.proxy.open(gate);
      await until('answer to what was held', () =>
        old.requests.every(({ fault, code }) => fault !== 'hold' || code !== undefined),
      );
      old.process.thaw();
      await old.process.exited;
      assert.match(old.process.output, /LeadershipLostError/);
      assert.notEqual(old.process.end?.code, 0);
      const isLate = ({ atMs, fault }: RequestEntry): boolean => atMs > takenOverAt || (arrivesLate === true && fault === 'hold');
      const late = old.requests.filter((entry) => isObjectWrite(entry) && isLate(entry));
      assert.deepEqual(late.filter(isDone).map(inWords), [], 'the server took a write of the old leader after one of the new');
      assert.deepEqual(
        late.map(({ code }) => code),
        arrivesLate === true ? late.map(() => 409) : [],
      );
      if (arrivesLate === true) assert.ok(late.length > 0, 'nothing arrived late, so nothing was shown');
      for (const step of [...scenario.steps()].slice(1)) await step();
      await quiet(() => successor.requests);
      assert.deepEqual(await endState(stage), calm.end);
      assertSameLives(await ground.counts(stage), calm.counts);
    });
  }

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    test(`the follower takes over when the leader gets ${signal}`, async (t) => {
      const stage = await ground.stage();
      await using old = await candidate(stage);
      await leads(old);
      await using successor = await candidate(stage);
      const scenario = new Scenario(stage);
      await scenario.create();
      assert.deepEqual(successor.requests.filter(isObjectWrite).map(inWords), [], 'a follower wrote');
      const endedAt = performance.now();
      await (signal === 'SIGKILL' ? old.kill() : old.stop());
      await scenario.change();
      const seconds = ((await firstWrite(successor, endedAt)) - endedAt) / 1000;
      t.diagnostic(`${seconds.toFixed(1)} s from ${signal} to the successor's first write, lease ${leaseMs / 1000} s`);
      // A lease that was given back is not waited for: the follower looks every fifth of it or so.
      assert.ok(seconds < (signal === 'SIGKILL' ? 4 : 1) * (leaseMs / 1000), `it took ${seconds} s`);
    });
  }

  test('come to the same end without an election', async () => {
    const stage = await ground.stage();
    await using one = await RealLives.prepare(stage, ground.upstream);
    await using two = await RealLives.prepare(stage, ground.upstream);
    await Promise.all([one.start(), two.start()]);
    await new Scenario(stage).play();
    await quiet(() => [...one.requests, ...two.requests].toSorted((a, b) => a.atMs - b.atMs));
    for (const lives of [one, two]) {
      assert.ok(lives.requests.some(isObjectWrite), 'one of them did nothing, so nothing was shown');
      const refusals = lives.requests.filter((entry) => isObjectWrite(entry) && entry.code! >= 400).map(({ code }) => code);
      assert.deepEqual(
        refusals.filter((code) => code !== 409 && code !== 404),
        [],
      );
    }
    assert.deepEqual(await endState(stage), calm.end);
    assertSameLives(await ground.counts(stage), calm.counts);
  });
});
