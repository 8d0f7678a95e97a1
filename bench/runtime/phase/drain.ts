import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from '../contender/contenders.ts';
import { ContenderProcess } from '../contender/process.ts';
import { countRequests, type RequestCounts, requestsBetween } from '../measure/requests.ts';
import type { Scene, Stage } from '../measure/stage.ts';

export interface Drained {
  readonly objectsPerSecond: number;
  readonly cpuSecondsPerObject: number;
  readonly requestsPerObject: number;
  /** What these requests were. */
  readonly requests: ReadonlyMap<string, number>;
}

/** How long a contender may take, for as much as one object: fifty times what it should. */
const patiencePerObjectSeconds = 0.1;

/**
 * Lets a contender serve widgets that wait for it when it starts. Time counts from the first widget served to the last, CPU from when its caches
 * are complete; requests until no more come.
 */
export async function drain(scene: Scene, contender: Contender): Promise<Drained> {
  const { stage, count } = scene;
  await using referee = await scene.referee();
  const already = referee.served;
  const before = await countRequests(stage.api);
  await using running = new ContenderProcess(contender, scene.settings(count));
  await running.said('synced');
  const { cpuSeconds } = running.usage();
  const patience = 60 + count * patiencePerObjectSeconds;
  await running.during(referee.until(`${count} served widgets`, patience, () => referee.served === count));
  const usedSeconds = running.usage().cpuSeconds - cpuSeconds;
  const requests = requestsBetween(before, await countWhenQuiet(stage));
  const served = count - already;
  return {
    objectsPerSecond: (served - 1) / referee.secondsOfService,
    cpuSecondsPerObject: usedSeconds / served,
    requestsPerObject: total(requests) / served,
    requests,
  };
}

/** Work that nobody needs any more, such as passes over one's own writes, can come late. */
async function countWhenQuiet({ api, signal }: Stage): Promise<RequestCounts> {
  const started = await countRequests(api);
  for (let last = started; ; ) {
    await delay(500, undefined, { signal });
    const next = await countRequests(api);
    if (total(requestsBetween(last, next)) === 0) return next;
    last = next;
  }
}

const total = (requests: ReadonlyMap<string, number>): number => requests.values().reduce((sum, count) => sum + count, 0);
