/** What a person must do something about; everything else is a bug and keeps its stack. */
export class Problem extends Error {}

/** @param {string} sentence */
export function fail(sentence) {
  throw new Problem(sentence);
}
