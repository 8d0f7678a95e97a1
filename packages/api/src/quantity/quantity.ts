/** Quantities of Kubernetes (`24Gi`, `500m`, `2`), compared exactly. */

const binary: Record<string, bigint> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const grammar = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([KMGTPE]i)|[eE]([+-]?[0-9]{1,2})|([numkMGTPE]?))$/;
const nanoDigits = 9;

/**
 * The value of a quantity in billionths of a unit, or undefined when the API server would not accept it as one.
 * Fractions of a billionth are rounded away from zero, as the API server does.
 */
export function quantityInNanos(quantity: string | number): bigint | undefined {
  const match = grammar.exec(String(quantity));
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', binaryUnit, exponent, decimalUnit = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction) << (binaryUnit === undefined ? 0n : binary[binaryUnit]!);
  const power = nanoDigits - fraction.length + (exponent === undefined ? decimal[decimalUnit]! : Number(exponent));
  const nanos = power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, 10n ** BigInt(-power));
  return sign === '-' ? -nanos : nanos;
}

const divideUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** One spelling for all spellings of a quantity: `24Gi`, `24576Mi` and `25769803776` give the same text. */
export function canonicalQuantity(quantity: string | number): string {
  return quantityInNanos(quantity)?.toString() ?? String(quantity);
}
