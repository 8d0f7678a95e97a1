/** Where an attempt is in its life: `open` may create its DataVolume, `closing` never may again. */
export type EntryState = 'open' | 'closing';

/** One running attempt: it holds one slot. */
export type LedgerEntry = {
  /** `namespace/name` of the VMDiskImage. */
  readonly image: string;
  readonly attempt: number;
  /** Place in the order of all admissions ever made. */
  readonly seq: number;
  /** When it was admitted, by the API server's clock. */
  readonly since: string;
  readonly state: EntryState;
};

const imagePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;
const fields = ['image', 'attempt', 'seq', 'since', 'state'] as const;

/**
 * The text of an entry: JSON without spaces, fields always in this order.
 *
 * The order is part of the layout: a policy of the API server looks for `"image":"<namespace>/`, `,"attempt":<n>,` and
 * `"state":"open"}` as texts.
 */
export function formatEntry({ image, attempt, seq, since, state }: LedgerEntry): string {
  return JSON.stringify({ image, attempt, seq, since, state });
}

/** The entry a text stands for, or a sentence that says what is wrong with it. */
export function parseEntry(text: string): LedgerEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a JSON object';
  const given = value as Partial<Record<string, unknown>>;
  const missing = fields.find((field) => !Object.hasOwn(given, field));
  if (missing !== undefined) return `has no field ${missing}`;
  const { image, attempt, seq, since, state } = given;
  if (typeof image !== 'string' || !imagePattern.test(image)) return 'has an image that is not namespace/name';
  if (!isNumber(attempt)) return 'has an attempt that is not a whole number from 1';
  if (!isNumber(seq)) return 'has a seq that is not a whole number from 1';
  if (typeof since !== 'string' || !instantPattern.test(since)) return 'has a since that is not an instant in UTC';
  if (state !== 'open' && state !== 'closing') return 'has a state other than open and closing';
  const entry: LedgerEntry = { image, attempt, seq, since, state };
  // The API server compares texts: an entry it would read otherwise than we do is not one.
  return formatEntry(entry) === text ? entry : `is not written as ${formatEntry(entry)}`;
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;
