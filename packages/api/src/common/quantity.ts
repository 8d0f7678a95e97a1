import { quantityInNanos } from '#quantity/quantity.ts';

const nanosPerUnit = 1_000_000_000n;

/** Bytes of a quantity such as `24Gi`, a part of a byte counting as a whole one; undefined when it is no quantity. */
export function parseQuantityBytes(quantity: string | number): bigint | undefined {
  const nanos = quantityInNanos(quantity);
  if (nanos === undefined) return undefined;
  // BigInt division cuts towards zero; away from zero is what the API server does.
  const whole = nanos / nanosPerUnit;
  const rest = nanos % nanosPerUnit;
  return rest === 0n ? whole : whole + (rest > 0n ? 1n : -1n);
}
