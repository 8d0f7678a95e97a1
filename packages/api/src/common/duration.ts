const millisecondsOf: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** What a duration field of our kinds accepts; CEL knows no days. */
export const durationPattern = '^([0-9]{1,6}(ms|s|m|h))+$';

const whole = new RegExp(durationPattern);
const part = /([0-9]+)(ms|s|m|h)/g;

/** Length of a duration such as `90s`, `30m` or `1h30m` in milliseconds; undefined when the text is none. */
export function parseDurationMs(text: string): number | undefined {
  if (!whole.test(text)) return undefined;
  let sum = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(part)) sum += Number(amount) * (millisecondsOf[unit] ?? Number.NaN);
  return sum;
}
