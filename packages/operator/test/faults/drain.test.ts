import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ledgerName } from '@terrain/api';
import { ApiError } from '@terrain/runtime';
import type { FaultPlan, FaultRule } from '@terrain/runtime/testing';
import { namespaceOfOperator } from '../apiserver/platform.ts';
import type { Stage } from '../apiserver/stage.ts';
import { types } from '../apiserver/types.ts';
import { type Drain, drain, repeatedly, together } from './drain.ts';
import { chances, sized } from './effort.ts';
import { PlayedOperator, RealOperator } from './lives.ts';

const ledger = { name: ledgerName, namespace: namespaceOfOperator };
const write = { verb: 'write', not: { resource: 'events' } } as const;
const moments = ['before', 'applied', 'answered'] as const;

const planned = (t: TestContext, ...rules: FaultRule[]): FaultPlan => ({ seed: Math.trunc(chances(t)() * 2 ** 31), rules });
/** An operator behind a proxy with this plan, which is taken away when all images exist: what was lost has to be made good. */
const behind = (plan: FaultPlan) => (stage: Stage) => PlayedOperator.start(stage, () => plan);
const hit = (share: number, fault: FaultRule['do']): FaultRule =>
  ({ on: 'request', match: write, share, do: fault }) as FaultRule;
const late = (ms: number): FaultPlan => ({ rules: [{ on: 'request', match: { verb: 'watch' }, do: { fault: 'lag', ms } }] });
const oneOf = <T>(random: () => number, list: readonly T[]): T => list[Math.trunc(random() * list.length)]!;

/** Writes of the ledger that a person with all rights might make. */
const vandalism: readonly ((stage: Stage) => Promise<unknown>)[] = [
  (stage) => stage.resource(types.configMaps).mergePatch(ledger, { data: null }),
  (stage) => {
    const entries = Object.keys(stage.ledgerData()).filter((key) => key.startsWith('entry.'));
    return stage.resource(types.configMaps).mergePatch(ledger, { data: Object.fromEntries(entries.map((key) => [key, null])) });
  },
  (stage) => {
    const [entry] = Object.keys(stage.ledgerData()).filter((key) => key.startsWith('entry.'));
    return stage.resource(types.configMaps).mergePatch(ledger, { data: { [entry ?? 'entry.x']: 'nonsense' } });
  },
  (stage) => stage.resource(types.configMaps).mergePatch(ledger, { data: { limit: '900', seq: '1' } }),
  (stage) => stage.resource(types.configMaps).mergePatch(ledger, { data: { 'policy.concurrency': '900' } }),
];

const policies = [{ concurrency: '' }, { concurrency: 'abc', retryLimit: '-1', x: 'y' }, { concurrency: '4' }, undefined, {}];

const faults: Record<string, (t: TestContext) => Omit<Drain, 'images'> & { readonly images?: number }> = {
  'answers get lost': (t) => ({ begin: behind(planned(t, hit(0.15, { fault: 'lose-reply' }))) }),
  'requests are refused, throttled and broken off': (t) => ({
    begin: behind(
      planned(
        t,
        hit(0.06, { fault: 'refuse' }),
        hit(0.06, { fault: 'answer', code: 500 }),
        hit(0.06, { fault: 'answer', code: 503 }),
        hit(0.06, { fault: 'answer', code: 429, retryAfterSeconds: 1 }),
      ),
    ),
  }),
  'caches are behind': () => ({ images: 8, begin: behind(late(sized(1500, 30_000))) }),
  'two operators work at once, one of them with caches that are behind': () => ({
    begin: async (stage) =>
      together(await PlayedOperator.start(stage), await PlayedOperator.start(stage, () => late(sized(300, 3000)))),
  }),
  'the operator dies every few writes': (t) => {
    const random = chances(t);
    return {
      images: sized(8, 100),
      begin: (stage) =>
        PlayedOperator.start(stage, () => ({
          rules: [
            {
              on: 'request',
              match: write,
              nth: 1 + Math.trunc(random() * 12),
              do: { fault: 'kill-client', when: oneOf(random, moments) },
            },
          ],
        })),
    };
  },
  'the operator is killed at random moments': (t) => {
    const random = chances(t);
    const kills = sized(4, 50);
    let operator: RealOperator | undefined;
    return {
      images: sized(20, 1000),
      policy: { concurrency: String(sized(4, 32)), retryBackoffDuration: '200ms' },
      begin: async (stage) => {
        const victim = await RealOperator.start(stage);
        operator = victim;
        const killing = repeatedly(0, async () => {
          const before = victim.proxy.log.count(write);
          const patience = 1 + Math.trunc(random() * sized(20, 100));
          const isDone = (): boolean => victim.kills === kills || isOver(stage);
          await stage.until('some writes', () => victim.proxy.log.count(write) >= before + patience || isDone());
          if (!isDone()) await victim.restart();
        });
        return together(victim, killing);
      },
      assertWentWrong: () => assert.equal(operator?.kills, kills, 'kills that happened'),
    };
  },
  'the clock of the operator jumps by an hour': () => ({
    policy: { concurrency: '4', retryBackoffDuration: '1s', unreferencedTTL: '30m', attemptTimeout: '30m' },
    begin: async (stage) => {
      const operator = await RealOperator.start(stage, { clockShiftMs: 3_600_000 });
      const shifts = [-3_600_000, 0, 3_600_000];
      const jumping = repeatedly(500, async () => {
        const shift = shifts.shift() ?? 0;
        shifts.push(shift);
        await operator.process.shiftClock(shift);
      });
      return together(operator, jumping);
    },
  }),
  'the limit is flipped between 1 and 100': () => ({
    images: sized(25, 400),
    begin: async (stage) => {
      let limit = 1;
      const flipping = repeatedly(1000, () => {
        limit = 101 - limit;
        return stage.setPolicy({ concurrency: String(limit), retryBackoffDuration: '200ms' });
      });
      return together(await PlayedOperator.start(stage), flipping);
    },
  }),
  'the policy is deleted, emptied and filled with garbage': (t) => {
    const random = chances(t);
    return {
      isFlawless: true,
      begin: async (stage) =>
        together(
          await PlayedOperator.start(stage),
          repeatedly(1000, () => stage.setPolicy(oneOf(random, policies))),
        ),
    };
  },
  'somebody reaches into the ledger': (t) => {
    const random = chances(t);
    return {
      // What they take out is missing from the very version they write, and their numbers count.
      leave: ['S1 downloads', 'S2', 'S6 numbers'],
      begin: async (stage) =>
        together(
          await PlayedOperator.start(stage),
          repeatedly(700, () => oneOf(random, vandalism)(stage).catch(ignoreRefusal)),
        ),
    };
  },
  'the namespace of the operator is deleted and made again': () => ({
    leave: ['S1 downloads', 'S6 numbers'],
    isFlawless: true,
    begin: (stage) => PlayedOperator.start(stage),
    during: async (stage) => {
      const namespaces = stage.resource(types.namespaces);
      await namespaces.delete({ name: namespaceOfOperator });
      await stage.until(
        'it to be gone',
        () => stage.informers.get(types.namespaces).store.get(namespaceOfOperator) === undefined,
      );
      await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOfOperator } });
      await stage.install();
    },
  }),
};

/** The API server's own guard of the ledger may be faster than we are. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 403)) throw error;
}

const isOver = (stage: Stage): boolean =>
  stage.images().length > 0 && stage.images().every(({ status }) => status?.phase === 'Succeeded');

for (const [name, fault] of Object.entries(faults))
  test(`a queue is drained, in order and within the limit, each image downloaded once, though ${name}`, async (t) => {
    await drain({ images: sized(12, 100), ...fault(t) });
  });
