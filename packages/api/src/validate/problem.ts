/** Something wrong with a manifest. */
export type Problem = {
  /** The field, such as `spec.vms[0].resources.cpu`. */
  readonly path: string;
  /** A sentence for people: the field, its value, the rule it breaks and what to write instead. */
  readonly message: string;
};

const longest = 60;
const secretField = /passw/i;

/** A value as a person would write it, short enough for a sentence. Passwords are never repeated. */
export function shown(path: string, value: unknown): string {
  if (secretField.test(path)) return 'a value that is not shown here';
  if (value === undefined) return 'not given';
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

/** A problem with the value of a field. */
export const problemAt = (path: string, value: unknown, rule: string): Problem => ({
  path,
  message: `${path} is ${shown(path, value)}, ${rule}`,
});

function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, left] of [...a].entries()) {
    const current = [i + 1];
    for (const [j, right] of [...b].entries()) {
      current.push(Math.min(previous[j + 1]! + 1, current[j]! + 1, previous[j]! + (left === right ? 0 : 1)));
    }
    previous = current;
  }
  return previous[b.length]!;
}

/** The known word a mistyped one is probably meant to be. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, steps: distance(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps);
  const best = ranked[0];
  return best !== undefined && best.steps <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}
