/** The few DER encodings that an X.509 certificate needs (ITU-T X.690). Writing only: nothing here parses. */

/** One tag-length-value element around its parts. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts);
export const octets = (content: Uint8Array): Buffer => element(0x04, content);
export const text = (value: string): Buffer => element(0x0c, Buffer.from(value, 'utf8'));
export const yes = element(0x01, Buffer.from([0xff]));

/** A context-specific element, `[number]`; constructed when it holds other elements. */
export function tagged(number: number, content: Uint8Array, constructed: boolean): Buffer {
  return element((constructed ? 0xa0 : 0x80) | number, content);
}

/** A non-negative integer. A leading zero byte keeps a set top bit from being read as a sign. */
export function integer(value: Uint8Array): Buffer {
  let start = 0;
  while (start < value.length - 1 && value[start] === 0) start++;
  const bytes = value.subarray(start);
  return element(0x02, Buffer.from((bytes[0] ?? 0) >= 0x80 ? [0] : []), bytes);
}

/** Bits numbered from the top of the first byte; `unusedBits` of the last byte do not count. */
export const bits = (content: Uint8Array, unusedBits = 0): Buffer => element(0x03, Buffer.from([unusedBits]), content);

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** RFC 5280 4.1.2.5: UTCTime through the year 2049, GeneralizedTime afterwards; whole seconds, always UTC. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  return date.getUTCFullYear() < 2050 ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
}
