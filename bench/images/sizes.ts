/** How much work each phase is. */
export interface Sizes {
  /** Images of two seconds through four slots. */
  readonly calm: number;
  /** Instant images through a hundred slots. */
  readonly drain: number;
  /** Another, larger drain; absent: left out. */
  readonly large?: number;
  /** Images that wait while nothing happens. */
  readonly queued: number;
  readonly idleSeconds: number;
}

const fullDrain = 1000;

/**
 * `TERRAIN_BENCH_SIZE` is the number of instant images (default 1000; 50 is enough to see that everything works) and scales the rest;
 * `TERRAIN_BENCH_LARGE`, as 10000 or 30000, adds a drain and an idle queue of so many.
 */
export function sizesFrom(env: NodeJS.ProcessEnv): Sizes {
  const drain = count('TERRAIN_BENCH_SIZE', env.TERRAIN_BENCH_SIZE ?? String(fullDrain));
  const sizes = { calm: Math.round(drain / 5), drain, queued: Math.round(drain / 5), idleSeconds: drain < fullDrain ? 10 : 60 };
  if (env.TERRAIN_BENCH_LARGE === undefined) return sizes;
  const large = count('TERRAIN_BENCH_LARGE', env.TERRAIN_BENCH_LARGE);
  if (large <= drain)
    throw new RangeError(`TERRAIN_BENCH_LARGE must be more than the ${drain} images of the short drain, got ${large}`);
  return { ...sizes, large };
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 50) throw new RangeError(`${name} must be a whole number from 50 on, got "${text}"`);
  return value;
}
