import type { TestContext } from 'node:test';
import fc from 'fast-check';

export interface ModelOptions<Step> {
  readonly step: fc.Arbitrary<Step>;
  /** At least so many steps in all; `MODEL_OPERATIONS` asks for another number. */
  readonly operations: number;
  /** Longest run. */
  readonly perRun: number;
  /** Runs that failed once, as printed then; they are tried first, each time. */
  readonly kept?: readonly { readonly seed: number; readonly path: string }[];
}

/**
 * Compares something with a model of it over random sequences of steps.
 *
 * A failure is reduced to a short sequence and names the seed and path to put into `kept`. `MODEL_SEED` repeats a whole test.
 */
export async function runModel<Step>(
  t: TestContext,
  { step, operations, perRun, kept = [] }: ModelOptions<Step>,
  compare: (steps: readonly Step[]) => Promise<void> | void,
): Promise<void> {
  let done = 0;
  const property = fc.asyncProperty(fc.array(step, { maxLength: perRun, size: 'max' }), async (steps) => {
    done += steps.length;
    await compare(steps);
  });
  for (const { seed, path } of kept) await fc.assert(property, { seed, path, endOnFailure: true });
  const wanted = Number(process.env.MODEL_OPERATIONS ?? operations);
  const seed = Number(process.env.MODEL_SEED ?? Math.trunc(Math.random() * 2 ** 31));
  for (let round = 0; done < wanted; round++) await fc.assert(property, { seed: seed + round, numRuns: 100 });
  t.diagnostic(`${done} operations, MODEL_SEED=${seed}`);
}
