/** An instant as Lease and Event want it: RFC 3339 with exactly six digits of a second. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
