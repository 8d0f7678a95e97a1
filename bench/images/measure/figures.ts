/** Arithmetic of the bench. */

/** The value that so many per cent of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** Share of pairs that stand the other way round than they should, from 0 to 1. */
export function inversions(order: readonly number[]): number {
  let inverted = 0;
  for (let later = 1; later < order.length; later++)
    for (let earlier = 0; earlier < later; earlier++) if (order[earlier]! > order[later]!) inverted++;
  const pairs = (order.length * (order.length - 1)) / 2;
  return pairs === 0 ? 0 : inverted / pairs;
}

/** A level that changes over time: its values and when each began. */
export interface Step {
  readonly at: number;
  readonly level: number;
}

/** How much of the time between the first and the last step was spent at the limit, on average over its places. */
export function utilisation(steps: readonly Step[], limit: number): number {
  let busy = 0;
  for (const [index, { at, level }] of steps.entries()) {
    const next = steps[index + 1];
    if (next !== undefined) busy += Math.min(level, limit) * (next.at - at);
  }
  const elapsed = (steps.at(-1)?.at ?? 0) - (steps[0]?.at ?? 0);
  return elapsed === 0 ? Number.NaN : busy / (limit * elapsed);
}

/** How the time grows with the number: 1 is in proportion. */
export const growthExponent = (few: { count: number; seconds: number }, many: { count: number; seconds: number }): number =>
  Math.log(many.seconds / few.seconds) / Math.log(many.count / few.count);
