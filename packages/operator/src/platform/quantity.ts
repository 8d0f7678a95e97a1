/** Quantities as the API server shows them: a manifest in other words would be sent again after every restart. */
import { quantityInNanos } from '@terrain/api';

const nanosPerUnit = 1_000_000_000n;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** `2048Mi` becomes `2Gi`, `1000m` becomes `1`; a spelling that has no shorter one stays. */
export function shownQuantity(quantity: string | number): string {
  const text = String(quantity);
  const nanos = quantityInNanos(text);
  if (nanos === undefined || nanos <= 0n) return text;
  if (/^[0-9]+[KMGTPE]i$/.test(text)) return binary(nanos / nanosPerUnit);
  if (/^[0-9]+m$/.test(text) && nanos % nanosPerUnit === 0n) return String(nanos / nanosPerUnit);
  return text;
}

function binary(units: bigint): string {
  let rest = units;
  let power = 0;
  while (rest % 1024n === 0n && power < binarySuffixes.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${binarySuffixes[power]}`;
}
