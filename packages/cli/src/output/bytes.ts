import { parseQuantityBytes } from '@terrain/api';

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** `512 bytes`, `1.5 GiB`, `24 GiB`: with one digit after the point below ten. */
export function humanBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  // As it is shown: 1023.6 KiB would read as 1024 KiB.
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const isWhole = unit === 0 || value >= 9.95 || Number.isInteger(value);
  return `${value.toFixed(isWhole ? 0 : 1)} ${units[unit]}`;
}

/** Bytes of a quantity such as `24Gi`; 0 where there is none, or one that nobody can read. */
export function bytesOf(quantity: string | number | undefined): number {
  return Number(parseQuantityBytes(quantity ?? 0) ?? 0);
}
