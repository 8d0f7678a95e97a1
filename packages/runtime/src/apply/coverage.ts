/**
 * Whether applying `desired` onto `actual` would leave every value as it is: objects may have more keys than desired, lists must have the same
 * items in the same order, each of them covered.
 */
export function isCovered(desired: unknown, actual: unknown): boolean {
  if (desired === actual) return true;
  if (Array.isArray(desired)) {
    if (!Array.isArray(actual) || actual.length !== desired.length) return false;
    return desired.every((item, index) => isCovered(item, actual[index]));
  }
  if (!isRecord(desired) || !isRecord(actual)) return false;
  for (const key of Object.keys(desired)) {
    if (desired[key] !== undefined && !isCovered(desired[key], actual[key])) return false;
  }
  return true;
}

/** The part of `actual` that `desired` speaks about; lists are taken whole, since their items have no names here. */
export function projection(desired: unknown, actual: unknown): unknown {
  if (!isRecord(desired) || !isRecord(actual)) return actual;
  const part: Record<string, unknown> = {};
  for (const key of Object.keys(desired)) {
    if (desired[key] !== undefined) part[key] = projection(desired[key], actual[key]);
  }
  return part;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
