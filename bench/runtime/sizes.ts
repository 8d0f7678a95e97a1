/** How much work each phase is. */
export interface Sizes {
  /** Objects of the short runs; a tenth of `large`. */
  readonly small: number;
  readonly large: number;
  /** Another, larger number of objects to start with; absent: the phase is left out. */
  readonly huge?: number;
}

/**
 * `TERRAIN_BENCH_SIZE` is the number of objects of the long runs (default 10000; 200 is enough to see that everything works);
 * `TERRAIN_BENCH_HUGE`, as 50000, adds cold starts with so many.
 */
export function sizesFrom(env: NodeJS.ProcessEnv): Sizes {
  const large = count('TERRAIN_BENCH_SIZE', env.TERRAIN_BENCH_SIZE ?? '10000');
  const small = Math.round(large / 10);
  if (env.TERRAIN_BENCH_HUGE === undefined) return { small, large };
  const huge = count('TERRAIN_BENCH_HUGE', env.TERRAIN_BENCH_HUGE);
  if (huge <= large)
    throw new RangeError(`TERRAIN_BENCH_HUGE must be more than the ${large} objects of the long runs, got ${huge}`);
  return { small, large, huge };
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 100) throw new RangeError(`${name} must be a whole number from 100 on, got "${text}"`);
  return value;
}
