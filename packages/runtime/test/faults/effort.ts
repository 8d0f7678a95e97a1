import type { TestContext } from 'node:test';
import { seededRandom } from '@terrain/runtime/testing';

/** `npm run faults` asks for every case; `npm test` has time for a sample of the slow ones. */
export const isExhaustive = process.env.TERRAIN_FAULTS === 'all';

/** So many of them, another choice in each run; `FAULT_SEED` repeats one. All of them when every case is asked for. */
export function sample<T>(t: TestContext, all: readonly T[], size: number): readonly T[] {
  if (isExhaustive || all.length <= size) return all;
  const seed = Number(process.env.FAULT_SEED ?? Math.trunc(Math.random() * 2 ** 31));
  t.diagnostic(`${size} of ${all.length}, FAULT_SEED=${seed}`);
  const random = seededRandom(seed);
  const rest = [...all];
  return Array.from({ length: size }, () => rest.splice(Math.trunc(random() * rest.length), 1)[0]!);
}

/** Does all, so many at a time: most of the time of a trial is waiting. The first failure ends it. */
export async function eachOf<T>(all: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = all.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
