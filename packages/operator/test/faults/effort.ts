import type { TestContext } from 'node:test';
import { seededRandom } from '@terrain/runtime/testing';

/** `TERRAIN_FAULTS=all` asks for every case at full size; `npm test` has time for a sample. */
const isExhaustive = process.env.TERRAIN_FAULTS === 'all';

/** A number for a usual run, and one for an exhaustive one. */
export const sized = (usual: number, exhaustive: number): number => (isExhaustive ? exhaustive : usual);

/** Chances of this run; `FAULT_SEED` repeats those of another. */
export function chances(t: TestContext): () => number {
  const seed = Number(process.env.FAULT_SEED ?? Math.trunc(Math.random() * 2 ** 31));
  t.diagnostic(`FAULT_SEED=${seed}`);
  return seededRandom(seed);
}

/** So many of them, another choice in each run. All of them when every case is asked for. */
export function sample<T>(t: TestContext, all: readonly T[], size: number): readonly T[] {
  if (isExhaustive || all.length <= size) return all;
  const random = chances(t);
  const rest = [...all];
  return Array.from({ length: size }, () => rest.splice(Math.trunc(random() * rest.length), 1)[0]!);
}
