import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../lib/bench.ts';
import type { Result, Served } from './compete.ts';
import type { ContenderName } from './contender/contenders.ts';
import { rowsOf } from './rows.ts';

const sizes = { small: 1000, large: 10_000 };

interface Figures {
  readonly rate?: number;
  readonly cpuMs?: number;
  readonly requests?: number;
  readonly residentBytes?: number;
}

const aServed = ({ rate = 100, cpuMs = 2, requests = 2, residentBytes = 1000 }: Figures): Served => ({
  drained: { objectsPerSecond: rate, cpuSecondsPerObject: cpuMs / 1000, requestsPerObject: requests, requests: new Map() },
  cold: { seconds: 1, residentBytes, peakBytes: 2 ** 20 },
});

const aResult = (name: ContenderName, large: Figures = {}, small: readonly Figures[] = [{}, {}, {}]): Result => ({
  name,
  small: small.map(aServed),
  large: aServed({ residentBytes: 1000 + 9000 * 1000, ...large }),
  huge: undefined,
  bytes: { sent: 500, kept: 250 },
  deleted: undefined,
  failedOver: undefined,
});

const missed = (results: readonly Result[]): string[] =>
  rowsOf(results, sizes)
    .map(judge)
    .filter(({ pass }) => pass === false)
    .map(({ name }) => name);

const field = [aResult('floor'), aResult('controller-runtime'), aResult('client-node', { cpuMs: 20, requests: 3 })];

test('with figures like the others’ every goal is reached', () => {
  assert.deepEqual(missed([...field, aResult('ours')]), []);
});

const misses: Record<string, { large: Figures; small?: Figures[]; want: string[] }> = {
  'slower than four fifths of the floor': {
    large: { rate: 79 },
    small: [{ rate: 79 }, { rate: 79 }, { rate: 79 }],
    want: ['throughput, 1000 objects: ours / floor', 'throughput, 10000 objects: ours / floor'],
  },
  'slower with many objects than with few': { large: { rate: 89 }, want: ['throughput, 10000 / 1000 objects: ours'] },
  'more than half again the CPU of Go': { large: { cpuMs: 3.1 }, want: ['CPU per object: ours / controller-runtime'] },
  'more CPU than a naive loop': {
    large: { cpuMs: 21 },
    want: ['CPU per object: ours / controller-runtime', 'CPU per object: ours / client-node'],
  },
  'a request too many, in one of the runs': {
    large: {},
    small: [{}, { requests: 2.001 }, {}],
    want: ['requests per object, worst run: ours'],
  },
  'more than two and a half times the JSON': {
    large: { residentBytes: 1000 + 9000 * 1251 },
    want: ['resident memory per object / its JSON: ours'],
  },
};
for (const [name, { large, small, want }] of Object.entries(misses)) {
  test(`missed: ${name}`, () => assert.deepEqual(missed([...field, aResult('ours', large, small)]), want));
}

test('memory is the slope between few and many, few being the middle round', () => {
  const rounds = [{ residentBytes: 1000 }, { residentBytes: 9_000_000 }, { residentBytes: 900 }];
  const memory = (of: typeof sizes) =>
    rowsOf([aResult('ours', {}, rounds)], of).find(({ name }) => name === 'resident memory per object: ours')?.value;
  assert.equal(memory(sizes), 1000);
  assert.equal(memory({ small: 20, large: 200 }), undefined, 'nothing is said where nothing can be told');
});

test('what was not measured has no row, a delete not seen to its end has another', () => {
  const deleted = { slowestSeconds: 60, isGivenUp: true, backlog: 9 };
  const names = rowsOf([aResult('ours'), { ...aResult('client-node'), deleted }], sizes).map((row) => row.name);
  assert.deepEqual(
    names.filter((name) => /delete|failover|undefined/.test(name)),
    ['given up on deletes, backlog of 10000, after: client-node'],
  );
});
