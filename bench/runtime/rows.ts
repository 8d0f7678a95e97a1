import type { Row } from '../lib/bench.ts';
import { median } from '../lib/run-command.ts';
import type { Result } from './compete.ts';
import type { ContenderName } from './contender/contenders.ts';
import type { Sizes } from './sizes.ts';

/** A ConfigMap and a status: no controller can do with less. */
const fewestRequests = 2;
/** With fewer objects, their memory drowns in what a heap has to spare. */
const fewestForMemory = 5000;

type Goal = Pick<Row, 'goal' | 'atLeast'>;
type Figure = (result: Result) => number | undefined;

const atMost = (goal: number): Goal => ({ goal });
const atLeast = (goal: number): Goal => ({ goal, atLeast: true });

/** What was measured, and how we stand against the floor and the peers. Goals are ours to reach, not the peers'. */
export function rowsOf(results: readonly Result[], sizes: Sizes): Row[] {
  const { small, large, huge } = sizes;
  const table = new Table(results);

  table.each(`throughput, ${small} objects`, '/s', smallRate);
  table.ratio(`throughput, ${small} objects`, 'floor', smallRate, atLeast(0.8));
  table.each(`throughput, ${large} objects`, '/s', largeRate);
  table.ratio(`throughput, ${large} objects`, 'floor', largeRate, atLeast(0.8));
  table.ours(`throughput, ${large} / ${small} objects`, 'ratio', (result) => largeRate(result) / smallRate(result), atLeast(0.9));

  table.each('CPU per object', 'ms', cpuMs);
  table.ratio('CPU per object', 'floor', cpuMs);
  table.ratio('CPU per object', 'controller-runtime', cpuMs, atMost(1.5));
  table.ratio('CPU per object', 'client-node', cpuMs, atMost(1));
  table.each('requests per object, worst run', 'requests', requests, atMost(fewestRequests));

  table.each(`cold start, ${large} objects`, 's', ({ large: { cold } }) => cold.seconds);
  table.ratio(`cold start, ${large} objects`, 'floor', ({ large: { cold } }) => cold.seconds);
  table.each(`cold start, ${huge} objects`, 's', (result) => result.huge?.cold.seconds);
  table.ratio(`cold start, ${huge} objects`, 'floor', (result) => result.huge?.cold.seconds);
  table.each(`peak memory, cold start, ${large} objects`, 'MiB', ({ large: { cold } }) => cold.peakBytes / 2 ** 20);
  if (large - small >= fewestForMemory) {
    const memory = (result: Result): number => bytesPerObject(result, sizes);
    table.each('resident memory per object', 'bytes', memory);
    table.ours('resident memory per object / its JSON', 'ratio', (result) => memory(result) / result.bytes.sent, atMost(2.5));
    table.ours('the same / JSON without managedFields', 'ratio', (result) => memory(result) / result.bytes.kept);
  }

  table.each(`slowest delete, backlog of ${large}`, 's', ({ deleted }) =>
    deleted?.isGivenUp ? undefined : deleted?.slowestSeconds,
  );
  table.each(`given up on deletes, backlog of ${large}, after`, 's', ({ deleted }) =>
    deleted?.isGivenUp ? deleted.slowestSeconds : undefined,
  );
  table.each('failover after SIGKILL', 's', ({ failedOver }) => failedOver?.killedSeconds);
  table.each('failover after SIGTERM', 's', ({ failedOver }) => failedOver?.terminatedSeconds);
  return table.rows;
}

/** Rows under construction; figures that were not taken make none. */
class Table {
  readonly rows: Row[] = [];
  readonly #results: readonly Result[];

  constructor(results: readonly Result[]) {
    this.#results = results;
  }

  /** One row for each contender; the goal counts for ours. */
  each(title: string, unit: string, figure: Figure, goal: Goal = {}): void {
    for (const { name } of this.#results)
      this.#add(`${title}: ${name}`, unit, this.#of(name, figure), name === 'ours' ? goal : {});
  }

  ours(title: string, unit: string, figure: Figure, goal: Goal = {}): void {
    this.#add(`${title}: ours`, unit, this.#of('ours', figure), goal);
  }

  ratio(title: string, to: ContenderName, figure: Figure, goal: Goal = {}): void {
    const [ours, other] = [this.#of('ours', figure), this.#of(to, figure)];
    if (ours !== undefined && other !== undefined) this.#add(`${title}: ours / ${to}`, 'ratio', ours / other, goal);
  }

  #of(name: ContenderName, figure: Figure): number | undefined {
    const result = this.#results.find((each) => each.name === name);
    return result === undefined ? undefined : figure(result);
  }

  #add(name: string, unit: string, value: number | undefined, goal: Goal): void {
    if (value !== undefined) this.rows.push({ name, value, unit, ...goal });
  }
}

const smallRate = ({ small }: Result): number => median(small.map(({ drained }) => drained.objectsPerSecond));
const largeRate = ({ large: { drained } }: Result): number => drained.objectsPerSecond;
const cpuMs = ({ large: { drained } }: Result): number => drained.cpuSecondsPerObject * 1000;
const requests = ({ small, large }: Result): number =>
  Math.max(...[...small, large].map(({ drained }) => drained.requestsPerObject));

/** The slope between many objects and few, so that what the process needs for itself falls out. */
function bytesPerObject({ small, large }: Result, sizes: Sizes): number {
  const few = median(small.map(({ cold }) => cold.residentBytes));
  return (large.cold.residentBytes - few) / (sizes.large - sizes.small);
}
